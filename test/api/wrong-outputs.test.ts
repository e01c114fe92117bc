// Every wrong output and encoding: the kind of error, what it says, and that nothing changed.
import { blake2xb, blake2xs, blake3 } from "blake-simd";
import { describe, expect, it } from "vitest";
import { detach, expectError, notBytes, outOfBounds } from "../support/errors.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { eachSubject, expected } from "../support/subjects.ts";

const message = pattern(3000);

const wrongKinds = [
  ...notBytes,
  ["text", "a string of length 4"],
  [new ArrayBuffer(64), "an object (ArrayBuffer)"],
  [new SharedArrayBuffer(64), "an object (SharedArrayBuffer)"],
  [new DataView(new ArrayBuffer(64)), "an object (DataView)"],
  [new Uint8ClampedArray(64), "an object (Uint8ClampedArray)"],
  [new Int8Array(64), "an object (Int8Array)"],
  [new Uint16Array(64), "an object (Uint16Array)"],
] as const;

function emptied(): Uint8Array {
  const bytes = new Uint8Array(64);
  detach(bytes.buffer);
  return bytes;
}

eachSubject((subject) => {
  const { algorithm, name, modes } = subject;

  describe.each(modes)("under options %#", (options) => {
    const length = options.length ?? algorithm.digestLength;
    const hasher = algorithm.create(options).update(message);
    const ways: Record<string, (output: never) => unknown> = {
      [`${name}.into`]: (output) => algorithm.into(message, output, options),
      [`${name} hasher.digestInto`]: (output) => hasher.digestInto(output),
    };

    it.each(Object.entries(ways))("%s refuses what is not a Uint8Array", (call, way) => {
      for (const [output, got] of wrongKinds) {
        expectError(() => way(output as never), TypeError, `${call}: output must be a Uint8Array, got ${got}`);
      }
    });

    it.each(Object.entries(ways))("%s refuses an output that is too short, and leaves it as it was", (call, way) => {
      const wanted = `${call}: output must have at least ${length} bytes, got `;
      const short = new Uint8Array(length - 1).fill(7);
      expectError(() => way(short as never), RangeError, `${wanted}${length - 1}`);
      expect(short).toEqual(new Uint8Array(length - 1).fill(7));
    });

    it.each(Object.entries(ways))("%s refuses an output that is detached or out of bounds", (call, way) => {
      const message = `${call}: output must be a Uint8Array, got a detached or shrunk buffer`;
      expectError(() => way(emptied() as never), TypeError, message);
      expectError(() => way(outOfBounds((b) => new Uint8Array(b, 8)) as never), TypeError, message);
    });

    it("leaves hashers and later one-shots as they were", () => {
      const wanted = expected(subject, message, options);
      for (const [output] of [...wrongKinds, [emptied()] as const]) {
        for (const way of Object.values(ways)) expect(() => way(output as never)).toThrow();
        expectBytes(hasher.digest(), wanted);
        expectBytes(algorithm(message, options), wanted);
      }
    });
  });

  it("into without options refuses an output that is too short, and leaves it as it was", () => {
    const short = new Uint8Array(algorithm.digestLength - 1);
    const must = `${name}.into: output must have at least ${algorithm.digestLength} bytes, got ${short.length}`;
    for (const input of [message, "text", pattern(70_000)])
      expectError(() => algorithm.into(input, short), RangeError, must);
    expect(short).toEqual(new Uint8Array(short.length));
  });

  it("digest refuses an encoding that it does not have", () => {
    const hasher = algorithm.create().update(message);
    const wanted = `${name} hasher.digest: encoding must be "hex", "base64" or "base64url", got `;
    const wrong = [
      ["HEX", "a string of length 3"],
      ["", "a string of length 0"],
      ["utf8", "a string of length 4"],
      ["toString", "a string of length 8"],
      [null, "null"],
      [16, "a number"],
      [true, "a boolean"],
      [["hex"], "an array"],
      [{}, "an object (Object)"],
      [Symbol("hex"), "a symbol"],
      [new String("hex"), "an object (String)"],
    ] as const;
    for (const [encoding, got] of wrong)
      expectError(() => hasher.digest(encoding as never), TypeError, `${wanted}${got}`);
    expectBytes(hasher.digest(), expected(subject, message));
    expect(hasher.digest(undefined as never)).toEqual(hasher.digest());
  });
});

describe.each([
  ["blake3", blake3],
  ["blake2xb", blake2xb],
  ["blake2xs", blake2xs],
] as const)("a reader of %s", (name, algorithm) => {
  it("refuses what is not a Uint8Array, or is detached, and stays where it is", () => {
    const reader = algorithm.create().update(message).xof();
    const first = reader.read(10);
    const call = `${name} reader.readInto: output must be a Uint8Array, got `;
    for (const [output, got] of wrongKinds) {
      expectError(() => reader.readInto(output as never), TypeError, call + got);
    }
    expectError(() => reader.readInto(emptied()), TypeError, `${call}a detached or shrunk buffer`);
    const empty = new Uint8Array();
    expect(reader.readInto(empty)).toBe(empty);
    const ended = algorithm.create().xof();
    ended.dispose();
    expect(() => ended.readInto(5 as never)).toThrow(`${name} reader.readInto: the reader was disposed`);
    const output = reader.readInto(new Uint8Array(20));
    expectBytes(Buffer.concat([first, output]), algorithm.create().update(message).xof().read(30));
  });
});
