// What Deno runs of dist/: the body of test/runtimes, without permissions, and with them files that a pool hashes.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { binaries } from "../../test/runtimes/hosts/processes.mjs";
import { makeSuite } from "../../test/runtimes/suite.mjs";
import { readJson, writeRaw } from "./raw.mjs";

const url = (path) => JSON.stringify(pathToFileURL(resolve(path)).href);

const BODY = `
import * as main from ${url("dist/index.js")};
import * as bao from ${url("dist/bao.js")};
import * as hazmat from ${url("dist/hazmat.js")};
import * as parallel from ${url("dist/parallel.js")};
import * as states from ${url("dist/states.js")};
import * as streams from ${url("dist/streams.js")};
import { runBody } from ${url("test/runtimes/body.mjs")};
import * as overflow from ${url("test/support/overflow.mjs")};
import suite from "./suite.mjs";
const { checks } = await runBody({ main, bao, hazmat, parallel, states, streams, overflow }, suite);
const failed = Object.entries(checks).filter(([, result]) => result !== "ok");
if (failed.length > 0) throw new Error(JSON.stringify(failed));
`;

// By its name, with which each worker opens it again, and by a handle, which the calling thread alone can read.
const FILES = `
import { open } from "node:fs/promises";
import { toHex } from ${url("dist/index.js")};
import { Blake3Pool } from ${url("dist/parallel.js")};
import { pool } from "./suite.mjs";
const [path] = Deno.args;
await Deno.writeFile(path, Uint8Array.from({ length: pool.input }, (_, i) => i % 251));
const threads = new Blake3Pool({ threads: 2 });
const handle = await open(path);
for (const source of [{ path }, { path }, handle]) {
  const digest = toHex(await threads.hash(source));
  if (digest !== pool.digest) throw new Error("expected " + pool.digest + ", got " + digest);
}
await handle.close();
await threads.close();
`;

function cover(folder, name, code, permissions) {
  const entry = join(folder, `${name}.mjs`);
  const raw = join(folder, name);
  writeFileSync(entry, code);
  const args = ["run", "--no-prompt", ...permissions, `--coverage=${raw}`, entry, join(folder, "message")];
  execFileSync(binaries.deno, args, { stdio: "inherit", timeout: 120_000 });
  const files = readdirSync(raw).filter((file) => file.endsWith(".json"));
  writeRaw(
    `deno-${name}`,
    files.flatMap((file) => readJson(join(raw, file)) ?? []),
  );
}

export function coverDeno() {
  const folder = mkdtempSync(join(tmpdir(), "blake-simd-deno-"));
  try {
    const suite = makeSuite();
    const exports = `export const pool = ${JSON.stringify(suite.pool)};\nexport default ${JSON.stringify(suite)};\n`;
    writeFileSync(join(folder, "suite.mjs"), exports);
    cover(folder, "body", BODY, []);
    cover(folder, "files", FILES, ["--allow-read", "--allow-write", "--allow-env"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
