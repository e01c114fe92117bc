// Little address space, as batch systems and shared hosts leave (`ulimit -v`): V8 reserves 10 GB of it for each kernel
// (https://github.com/nodejs/node/issues/56596). The error names the cure, which cures it.
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/child.ts";

/** Runs code with so many GB of addresses. */
function within(gigabytes: number, code: string, flags = ""): unknown {
  const command = `ulimit -v ${gigabytes * 1_000_000} && exec "$0" ${flags} --input-type=module --eval "$1"`;
  return JSON.parse(execFileSync("bash", ["-c", command, process.execPath, code], { cwd: ROOT, encoding: "utf8" }));
}

describe.runIf(process.platform === "linux")("with little address space", () => {
  const calls = `
    import { blake3 } from "blake-simd";
    import { outboard } from "blake-simd/bao";
    import { SubtreeCollector } from "blake-simd/hazmat";
    import { Blake3Pool } from "blake-simd/parallel";
    const calls = [
      () => blake3("a"), () => outboard("a"), () => new SubtreeCollector(2048, 1024).set(0, new Uint8Array(32)).set(1024, new Uint8Array(32)).digest(),
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
  });
});
