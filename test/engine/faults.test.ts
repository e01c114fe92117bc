// A kernel that throws in the middle of a call, as by a trap or at the end of the stack: its memory is zeroed and it is
// never called again; one-shots, and hashers and readers beside the call, stay right.
import { algorithms, useBackend } from "blake-simd";
import { hmac } from "blake-simd/hmac";
import { afterAll, expect, it } from "vitest";
import { allCalls, OF_EACH_KERNEL } from "../support/calls/all.ts";
import { titleOf } from "../support/calls/call.ts";
import { type Call, NO_CODE } from "../support/calls/row.mjs";
import { expectBytes, pattern } from "../support/messages.ts";
import { expectedDigest } from "../support/oracle.ts";

const trouble = new Error("tested");
const message = pattern(700);
const zeros = Buffer.alloc(2 ** 17);
let interrupted = 0;

/** The memory of the kernel that has thrown, and the number of the call of an export, from now on, that throws. */
let lost: WebAssembly.Memory | undefined;
let left = Number.POSITIVE_INFINITY;
let calls = 0;
const { Instance } = WebAssembly;
WebAssembly.Instance = class {
  exports: WebAssembly.Exports;

  constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
    const { exports } = new Instance(module, imports);
    let isLost = false;
    const failing = (real: (...args: number[]) => unknown) => {
      return (...args: number[]) => {
        if (isLost) throw new Error("a kernel is called that has thrown");
        const result = real(...args);
        calls++;
        if (left-- > 0) return result;
        isLost = true;
        // That of subtrees has its own areas, which others share.
        if (exports.init) lost = exports.memory as WebAssembly.Memory;
        left = Number.POSITIVE_INFINITY;
        throw trouble;
      };
    };
    const entries = Object.entries(exports).map(([name, value]) => {
      const isWork = typeof value === "function" && name !== "stackRestore" && (exports.init || exports.groups);
      return [name, isWork ? failing(value as never) : value];
    });
    this.exports = Object.fromEntries(entries);
  }
} as typeof WebAssembly.Instance;
// The table of calls has made kernels: these are made anew.
useBackend("baseline");
useBackend("simd128");
afterAll(() => {
  WebAssembly.Instance = Instance;
});

const tried = allCalls.filter(
  ({ name, of, how, arrays }) =>
    OF_EACH_KERNEL.includes(of) &&
    !/Stream|Of$|Hash\b|Through|Pool|fetch|outboard|bao/i.test(name) &&
    !/65536|150000|, text/.test(how) &&
    Object.keys(arrays).length > 0,
);

it.each(tried.map((call) => [titleOf(call), call] as const))("%s", (_, call: Call) => {
  const algorithm = algorithms[call.of as "blake3"];
  const beside = algorithm.create().update(message);
  const begin = () => {
    const object = call.make(call.arrays, NO_CODE);
    const args = call.args(call.arrays, NO_CODE, object);
    return () => call.act(object, ...args);
  };
  calls = 0;
  begin()();
  const act = begin();
  calls = 0;
  act();
  for (let at = 0, count = calls; at < count; at++) {
    const act = begin();
    beside.reset().update(message);
    lost = undefined;
    left = at;
    try {
      act();
    } catch (error) {
      expect(error).toBe(trouble);
      interrupted++;
    }
    left = Number.POSITIVE_INFINITY;
    expectBytes(algorithm(message), expectedDigest(call.of, message));
    expectBytes(beside.digest(), expectedDigest(call.of, message));
    if (lost) expect(zeros.equals(Buffer.from((lost as WebAssembly.Memory).buffer))).toBe(true);
  }
  beside.dispose();
});

it("calls have been interrupted", () => {
  expect(interrupted).toBeGreaterThan(150);
});

it.each(OF_EACH_KERNEL)("an interrupted hasher of %s refuses all but reset, which starts anew", (name) => {
  const algorithm = algorithms[name as "blake3"];
  const long = pattern(20_000);
  const key = pattern(32);
  const interruptible = [
    [algorithm.create(), expectedDigest(name, message)],
    [hmac.create(algorithm, key), hmac(algorithm, key, message)],
  ] as const;
  const beside = algorithm.create().update(message);
  for (const [object, wanted] of interruptible) {
    object.update("before");
    left = 0;
    expect(() => object.update(long)).toThrow(trouble);
    for (const act of [() => object.update("after"), () => object.digest(), () => object.clone()]) {
      expect(act).toThrow("an update of the hasher was interrupted");
    }
    expectBytes(object.reset().update(message).digest(), wanted);
  }
  expectBytes(beside.digest(), expectedDigest(name, message));
});
