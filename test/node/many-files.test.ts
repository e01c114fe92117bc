// More files at once than a process may open: each call waits for its turn.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blake3 as noble } from "@noble/hashes/blake3.js";
import { afterAll, expect, it } from "vitest";
import { ROOT } from "../support/child.ts";

const COUNT = 1000;
const folder = mkdtempSync(join(tmpdir(), "blake-simd-"));
afterAll(() => rmSync(folder, { recursive: true }));
const digests = Array.from({ length: COUNT }, (_, i) => {
  // Short ones and long ones, which stay open for longer.
  const content = new Uint8Array(i % 50 === 0 ? 600_000 : 10 + i).fill(i);
  writeFileSync(join(folder, `${i}`), content);
  return Buffer.from(noble(content)).toString("hex");
});

const PROGRAM = `
  import { closeSync, openSync, writeSync } from "node:fs";
  import { blake3, toHex } from "blake-simd";
  import { hashFile } from "blake-simd/node";
  import { Blake3Pool } from "blake-simd/parallel";

  const pool = new Blake3Pool({ threads: 0 });
  const signal = new AbortController().signal;
  const ways = {
    hashFile: (path) => hashFile(blake3, path),
    "hashFile with a signal": (path) => hashFile(blake3, path, { signal }),
    "a pool": (path) => pool.hash({ path }),
  };
  const paths = Array.from({ length: ${COUNT} }, (_, i) => "${folder}/" + i);
  const results = {};
  for (const [name, hash] of Object.entries(ways)) results[name] = (await Promise.all(paths.map(hash))).map(toHex);
  // Where the program itself has opened all, nothing would come to an end by waiting.
  const own = [];
  try {
    for (;;) own.push(openSync("package.json"));
  } catch {}
  const codes = await Promise.allSettled(Object.values(ways).map((hash) => hash(paths[0])));
  for (const descriptor of own) closeSync(descriptor);
  results.codes = codes.map(({ reason }) => reason?.code);
  results.after = toHex(await hashFile(blake3, paths[0]));
  process.stdout.write(JSON.stringify(results));`;

it.skipIf(process.platform === "win32")(
  "a thousand under `ulimit -n 128` have their digests, with and without a signal",
  () => {
    const args = ["-c", 'ulimit -n 128 && exec "$0" --input-type=module -', process.execPath];
    const output = execFileSync("sh", args, { cwd: ROOT, input: PROGRAM, encoding: "utf8", maxBuffer: 2 ** 26 });
    expect(JSON.parse(output)).toEqual({
      hashFile: digests,
      "hashFile with a signal": digests,
      "a pool": digests,
      codes: ["EMFILE", "EMFILE", "EMFILE"],
      after: digests[0],
    });
  },
);
