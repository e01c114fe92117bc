// Little address space, as batch systems and shared hosts leave (`ulimit -v`): V8 reserves 10 GB of it for each kernel.
// What one kernel can compute is computed, on the calling thread, and what it cannot is an error that names the cure,
// which cures it.
import { execFileSync } from "node:child_process";
import { toHex } from "blake-simd";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/child.ts";
import { digestOf, fileOf, MESSAGE } from "../support/pool.ts";

/** Runs code with so many GB of addresses. */
function within(gigabytes: number, code: string, flags = ""): unknown {
  const command = `ulimit -v ${gigabytes * 1_000_000} && exec "$0" ${flags} --input-type=module --eval "$1"`;
  return JSON.parse(execFileSync("bash", ["-c", command, process.execPath, code], { cwd: ROOT, encoding: "utf8" }));
}

const LENGTH = 2_500_000;

/** What is computed before the hashes of pools. */
const FIRST = {
  nothing: "",
  digest: "check(blake3(message));",
  "outboards alone": "await trees(); console.log(JSON.stringify({ wrong, threads: [] })); process.exit();",
};

const program = (first: keyof typeof FIRST) => `
  import { readFileSync } from "node:fs";
  import { open } from "node:fs/promises";
  import { blake3, toHex } from "blake-simd";
  import { outboardOf } from "blake-simd/bao";
  import { Blake3Pool } from "blake-simd/parallel";
  const path = ${JSON.stringify(fileOf(MESSAGE.subarray(0, LENGTH)))};
  const message = new Uint8Array(readFileSync(path));
  const key = message.slice(0, 32);
  const file = await open(path);
  const shared = new Uint8Array(new SharedArrayBuffer(message.length));
  shared.set(message);
  const sources = [message, shared, new Blob([message]), { path }, file];
  let wrong = 0;
  const check = (digest, wanted = "${toHex(digestOf(LENGTH))}") => { wrong += toHex(digest) !== wanted; };
  const trees = async () => {
    const pool = new Blake3Pool({ threads: 2 });
    for (const options of [{ pool }, {}, { pool }]) check((await outboardOf(new Blob([message]), options)).root);
    await pool.close();
  };
  ${FIRST[first]}
  const threads = [];
  for (const wanted of [0, 2]) {
    const pool = new Blake3Pool({ threads: wanted });
    for (const source of sources) {
      const progress = [];
      check(await pool.hash(source, { onProgress: (...numbers) => progress.push(numbers) }));
      wrong += progress.length < 2 || progress.at(-1).some((number) => number !== message.length);
      check(await pool.hash(source, { key }), "${toHex(digestOf(LENGTH, "keyed"))}");
    }
    pool.release(pool.allocate(5));
    threads.push(pool.threads);
    await pool.close();
  }
  check(blake3(message));
  await file.close();
  console.log(JSON.stringify({ wrong, threads }));`;

describe.runIf(process.platform === "linux")("with little address space", () => {
  // Of one kernel, of two, of three and too few for a worker, of one worker, of all.
  it.each<[number, keyof typeof FIRST, unknown]>([
    [12, "nothing", [0, 0]],
    [12, "digest", [0, 0]],
    [12, "outboards alone", []],
    [21, "nothing", [0, expect.any(Number)]],
    [21, "outboards alone", []],
    [24, "digest", [0, expect.any(Number)]],
    [36, "nothing", [0, expect.any(Number)]],
    [45, "digest", [0, 2]],
    [45, "outboards alone", []],
  ])("of %i GB, a pool hashes after %s", (size, first, threads) => {
    expect(within(size, program(first))).toEqual({ wrong: 0, threads });
  });

  const calls = `
    import { blake3 } from "blake-simd";
    import { outboard } from "blake-simd/bao";
    import { SubtreeCollector } from "blake-simd/hazmat";
    import { Blake3Pool } from "blake-simd/parallel";
    const calls = [
      () => blake3("a"), () => outboard("a"), () => new SubtreeCollector(2048, 1024),
      () => new Blake3Pool({ threads: 2 }).hash(new Uint8Array(2_500_000)),
    ];
    const outcomes = [];
    for (const call of calls) outcomes.push(await Promise.resolve().then(call).then(() => "done", ({ message }) => message));
    console.log(JSON.stringify(outcomes));
    process.exit();`;

  it("for no kernel: an error names the cure, which cures it", () => {
    const cure = /^blake-simd: WebAssembly is out of memory: V8 .*addresses.* node --disable-wasm-trap-handler;/;
    expect(within(8, calls)).toEqual(Array(4).fill(expect.stringMatching(cure)));
    expect(within(8, calls, "--disable-wasm-trap-handler")).toEqual(["done", "done", "done", "done"]);
    expect(within(8, program("nothing"), "--disable-wasm-trap-handler")).toMatchObject({ wrong: 0 });
  });
});
