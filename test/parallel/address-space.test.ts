// Little address space, as batch systems and shared hosts leave (`ulimit -v`): V8 reserves 10 GB of it for each kernel. What one
// kernel can compute is computed, on the calling thread, and what it cannot is an error that names the cure, which cures it.
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/child.ts";

/** Runs code with so many GB of addresses. */
function within(gigabytes: number, code: string, flags = ""): unknown {
  const command = `ulimit -v ${gigabytes * 1_000_000} && exec "$0" ${flags} --input-type=module --eval "$1"`;
  return JSON.parse(execFileSync("bash", ["-c", command, process.execPath, code], { cwd: ROOT, encoding: "utf8" }));
}

const program = (first: string) => `
  import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
  import { open } from "node:fs/promises";
  import { blake3 as noble } from "@noble/hashes/blake3.js";
  import { blake3, toHex } from "blake-simd";
  import { Blake3Pool } from "blake-simd/parallel";
  const message = new Uint8Array(2_500_000).map((_, i) => (i * i + (i >>> 8)) & 255);
  const key = message.slice(5, 37);
  const folder = mkdtempSync(${JSON.stringify(join(tmpdir(), "blake-simd-"))});
  writeFileSync(folder + "/file", message);
  const file = await open(folder + "/file");
  const shared = new Uint8Array(new SharedArrayBuffer(message.length));
  shared.set(message);
  const sources = [message, shared, new Blob([message]), { path: folder + "/file" }, file];
  let wrong = 0;
  const [plain, keyed] = [{}, { key }].map((options) => toHex(noble(message, options)));
  const check = (digest, options) => { wrong += toHex(digest) !== (options ? keyed : plain); };
  ${first}
  const threads = [];
  for (const wanted of [0, 2]) {
    const pool = new Blake3Pool({ threads: wanted });
    for (const source of sources) {
      const progress = [];
      check(await pool.hash(source, { onProgress: (...numbers) => progress.push(numbers) }));
      wrong += progress.length < 2 || progress.at(-1).some((number) => number !== message.length);
      check(await pool.hash(source, { key }), { key });
    }
    pool.release(pool.allocate(5));
    threads.push(pool.threads);
    await pool.close();
  }
  check(blake3(message));
  await file.close();
  rmSync(folder, { recursive: true });
  console.log(JSON.stringify({ wrong, threads }));`;

describe.runIf(process.platform === "linux")("with little address space", () => {
  // Of one kernel, of two, of three and too few for a worker, of one worker, of all.
  it.each([12, 21, 24, 33, 36, 45])("of %i GB, a pool hashes, whatever comes first", (size) => {
    for (const first of ["", "check(blake3(message));"]) {
      const outcome = within(size, program(first)) as { wrong: number; threads: number[] };
      expect(outcome.wrong).toBe(0);
      expect(outcome.threads[0]).toBe(0);
      if (size < 20) expect(outcome.threads[1]).toBe(0);
      if (size > 40) expect(outcome.threads[1]).toBe(2);
    }
  });

  it.each([12, 21, 45])("of %i GB, an outboard is made with a pool and without", (size) => {
    const code = `
      import { outboardOf } from "blake-simd/bao";
      import { Blake3Pool } from "blake-simd/parallel";
      import { toHex } from "blake-simd";
      const message = new Blob([new Uint8Array(2_500_000).fill(7)]);
      const pool = new Blake3Pool({ threads: 2 });
      const trees = [await outboardOf(message, { pool }), await outboardOf(message), await outboardOf(message, { pool })];
      await pool.close();
      console.log(JSON.stringify(trees.map(({ root }) => toHex(root))));`;
    const hash = `
      import { blake3 } from "@noble/hashes/blake3.js";
      console.log(JSON.stringify(Buffer.from(blake3(new Uint8Array(2_500_000).fill(7))).toString("hex")));`;
    const wanted = within(size, hash);
    expect(within(size, code)).toEqual([wanted, wanted, wanted]);
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
    for (const text of within(8, calls) as string[]) {
      expect(text).toMatch(
        /^blake-simd: WebAssembly is out of memory: V8 .*addresses.* node --disable-wasm-trap-handler;/,
      );
    }
    expect(within(8, calls, "--disable-wasm-trap-handler")).toEqual(["done", "done", "done", "done"]);
    const whole = within(8, program(""), "--disable-wasm-trap-handler");
    expect(whole).toMatchObject({ wrong: 0 });
  });
});
