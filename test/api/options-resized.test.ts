// What changes its length while an option is read: refused, since it was checked before.
import { blake2s as nobleBlake2s } from "@noble/hashes/blake2.js";
import { blake2b, blake2s, blake2xb } from "blake-simd";
import { describe, expect, it } from "vitest";
import { expectError } from "../support/errors.ts";

/** Bytes whose length is read by a getter, which runs other code first. */
function watched(length: number, act: () => void): Uint8Array {
  return new (class extends Uint8Array {
    override get length(): number {
      act();
      return super.length;
    }
  })(length);
}

it.each([
  ["blake2b", blake2b, 16],
  ["blake2xb", blake2xb, 16],
  ["blake2s", blake2s, 8],
] as const)("%s", (name, algorithm, most) => {
  const digest = algorithm.hex("abc");
  for (const [option, length, changed] of [
    ["key", 5, 6],
    ["key", 5, 4],
    ["salt", most, most + 1],
  ] as const) {
    const buffer = new ArrayBuffer(length, { maxByteLength: 64 });
    const personal = watched(most, () => buffer.resize(changed));
    const options = { [option]: new Uint8Array(buffer), personal };
    const must = `${name}: key, salt and personal must keep their lengths while options are read, got new ones`;
    expectError(() => algorithm("abc", options), RangeError, must);
    expect(algorithm.hex("abc")).toBe(digest);
  }
});

describe("a message that changes while options are read is refused, and the next hash is right", () => {
  type Call = readonly [call: string, act: (input: Uint8Array, options: object) => unknown, input: string];
  const output = new Uint8Array(32);
  const calls: Call[] = [
    ["blake2s", (input, options) => blake2s(input, options), "input"],
    ["blake2s.hex", (input, options) => blake2s.hex(input, options), "input"],
    ["blake2s.into", (input, options) => blake2s.into(output, input, options), "input"],
    ["blake2s.many", (input, options) => blake2s.many(["a", input, "b"], options), "inputs[1]"],
  ];

  it.each(calls)("%s", (call, act, input) => {
    for (const length of [0, 99, 101, 200]) {
      const buffer = new ArrayBuffer(100, { maxByteLength: 200 });
      const options = {
        get length() {
          buffer.resize(length);
          return 32;
        },
      };
      const must = `${call}: ${input} must keep its 100 bytes while options are read, got ${length}`;
      expectError(() => act(new Uint8Array(buffer), options), RangeError, must);
      expect(blake2s.hex("abc")).toBe(Buffer.from(nobleBlake2s(Buffer.from("abc"))).toString("hex"));
    }
  });

  it.each(calls)("%s, if it is detached", (call, act, input) => {
    const bytes = new Uint8Array(100);
    const options = {
      get length() {
        structuredClone(undefined, { transfer: [bytes.buffer] });
        return 32;
      },
    };
    const must = `${call}: ${input} must be a string, an ArrayBuffer, a SharedArrayBuffer or a view of one`;
    expectError(() => act(bytes, options), TypeError, must, "got a detached buffer");
  });
});
