// scripts/address.mjs writes the project's address wherever it is needed, from one place.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ROOT } from "../support/child.js";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "blake-simd-address-"));
  for (const file of ["package.json", "README.md"]) copyFileSync(join(ROOT, file), join(folder, file));
});

afterEach(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]) =>
  execFileSync(process.execPath, [join(ROOT, "scripts/address.mjs"), ...args], {
    env: { ...process.env, ADDRESS_ROOT: folder },
    stdio: "pipe",
  });
const manifest = () => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const readme = () => readFileSync(join(folder, "README.md"), "utf8");

test("an address gets into the manifest and to the pictures", () => {
  run("https://code.example/owner/name");
  expect(manifest().repository.url).toBe("git+https://code.example/owner/name.git");
  expect(manifest().homepage).toBe("https://code.example/owner/name#readme");
  expect(manifest().bugs.url).toBe("https://code.example/owner/name/issues");
  expect(readme()).toContain('src="https://code.example/owner/name/raw/HEAD/docs/pictures/front.svg"');
  expect(readme()).not.toMatch(/(src|srcset)="docs/);
});

test("another address takes its place, and running it again changes nothing", () => {
  run("https://code.example/owner/name");
  run("https://other.example/a/b.git");
  const [before, text] = [manifest(), readme()];
  expect(text).not.toContain("code.example");
  run();
  expect(manifest()).toEqual(before);
  expect(readme()).toBe(text);
});

test("what is no address is refused, and so is none at all", () => {
  expect(() => run("example.com/owner")).toThrow(/an address is https/);
  const known = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).repository;
  if (!known) expect(() => run()).toThrow(/no address yet/);
});
