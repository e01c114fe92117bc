// Other arguments whose length changes while an option is read: they are read after all options.
import { blake2b as nobleBlake2b, blake2s as nobleBlake2s } from "@noble/hashes/blake2.js";
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
] as const)("%s never asks a key, salt or personalization of a subclass for its length", (_, algorithm, most) => {
  let asked = 0;
  const bytes = (length: number) => watched(length, () => asked++);
  const plain = { key: new Uint8Array(5), salt: new Uint8Array(most), personal: new Uint8Array(most) };
  const digest = algorithm.hex("abc", { key: bytes(5), salt: bytes(most), personal: bytes(most) });
  expect(digest).toBe(algorithm.hex("abc", plain));
  expect(asked).toBe(0);
});

it("a key is the one that it is after all options have been read", () => {
  for (const length of [4, 6, 64]) {
    const buffer = new ArrayBuffer(5, { maxByteLength: 64 });
    const options = {
      key: new Uint8Array(buffer),
      get salt() {
        buffer.resize(length);
        return undefined;
      },
    };
    expect(blake2b("abc", options)).toEqual(nobleBlake2b(Buffer.from("abc"), { key: new Uint8Array(length) }));
  }
});

describe("a message is the one that it is after the options have been read, and the next hash is right", () => {
  type Call = readonly [call: string, act: (input: Uint8Array, options: object) => unknown, input: string];
  const output = new Uint8Array(32);
  const calls: Call[] = [
    ["blake2s", (input, options) => blake2s(input, options), "input"],
    ["blake2s.hex", (input, options) => blake2s.hex(input, options), "input"],
    ["blake2s.into", (input, options) => blake2s.into(input, output, options), "input"],
    ["blake2s.many", (input, options) => blake2s.many(["a", input, "b"], options), "inputs[1]"],
  ];

  it.each(calls)("%s", (_, act) => {
    for (const length of [0, 99, 101, 200]) {
      const buffer = new ArrayBuffer(100, { maxByteLength: 200 });
      const options = {
        get length() {
          buffer.resize(length);
          return 32;
        },
      };
      const result = act(new Uint8Array(buffer), options);
      const digest = Array.isArray(result) ? result[1] : result;
      const wanted = nobleBlake2s(new Uint8Array(length));
      expect(digest).toEqual(typeof digest === "string" ? Buffer.from(wanted).toString("hex") : wanted);
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
    expectError(() => act(bytes, options), TypeError, must, "got a detached or shrunk buffer");
  });
});
