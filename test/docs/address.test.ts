// scripts/address.mjs writes the project's address wherever it is needed, from one place.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ROOT } from "../support/child.js";

const PLACES = ["README.md", "SECURITY.md", "docs/speed.md"];
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "blake-simd-address-"));
  mkdirSync(join(folder, "docs"));
  for (const file of ["package.json", ...PLACES]) copyFileSync(join(ROOT, file), join(folder, file));
});

afterEach(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]) =>
  execFileSync(process.execPath, [join(ROOT, "scripts/address.mjs"), ...args], {
    env: { ...process.env, ADDRESS_ROOT: folder },
    stdio: "pipe",
  });
const manifest = () => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const read = (file: string) => readFileSync(join(folder, file), "utf8");

test("an address gets into the manifest, to the pictures and into every link", () => {
  run("https://code.example/owner/name");
  expect(manifest().repository.url).toBe("git+https://code.example/owner/name.git");
  expect(manifest().homepage).toBe("https://code.example/owner/name#readme");
  expect(manifest().bugs.url).toBe("https://code.example/owner/name/issues");
  expect(read("README.md")).toContain('src="https://code.example/owner/name/raw/HEAD/docs/pictures/front.svg"');
  expect(read("README.md")).not.toMatch(/(src|srcset)="docs/);
  expect(read("README.md")).toContain("[Source](https://code.example/owner/name)");
  expect(read("SECURITY.md")).toContain("](https://code.example/owner/name/security/advisories/new)");
  expect(read("docs/speed.md")).toContain("[an issue](https://code.example/owner/name/issues)");
});

test("another address takes its place, and running it again changes nothing", () => {
  run("https://code.example/owner/name");
  run("https://other.example/a/b.git");
  const before = ["package.json", ...PLACES].map(read);
  for (const text of before) expect(text).not.toContain("code.example");
  run();
  expect(["package.json", ...PLACES].map(read)).toEqual(before);
});

test("what is no address is refused, and so is none at all", () => {
  expect(() => run("example.com/owner")).toThrow(/an address is https/);
  const known = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).repository;
  if (!known) expect(() => run()).toThrow(/no address yet/);
});
