// Every wrong output and encoding: the kind of error, what it says, and that nothing changed.
import { algorithms, blake2xb, blake2xs, blake3 } from "blake-simd";
import { expect, it } from "vitest";
import { allCalls } from "../support/calls/all.ts";
import { subjectOf, titleOf } from "../support/calls/call.ts";
import { NO_CODE } from "../support/calls/row.mjs";
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

const calls = allCalls.filter(({ arrays }) => arrays.output);

it.each(calls.map((call) => [titleOf(call), call] as const))("%s refuses what is no output for it", (_, call) => {
  const { name, arrays, of } = call;
  const object = call.make(arrays, NO_CODE);
  const before = call.peek?.(object as never);
  const { digestLength } = algorithms[of as "blake3"];
  const way = (output: unknown) => () =>
    call.act(object, ...call.args({ ...arrays, output: output as Uint8Array }, NO_CODE));
  const must = `${name}: output must be a Uint8Array, got `;
  for (const [output, got] of wrongKinds) expectError(way(output), TypeError, must + got);
  for (const output of [emptied(), outOfBounds((buffer) => new Uint8Array(buffer, 8))]) {
    expectError(way(output), TypeError, `${must}a detached or shrunk buffer`);
  }
  // A reader fills what it is given.
  if (!name.includes("reader")) {
    const short = new Uint8Array(digestLength - 1).fill(7);
    const wanted = `${name}: output must have at least ${digestLength} bytes, got ${digestLength - 1}`;
    expectError(way(short), RangeError, wanted);
    expect(short).toEqual(new Uint8Array(digestLength - 1).fill(7));
  }
  if (before) expectBytes(call.peek!(object as never), before);
  const plain = expected(subjectOf(call), message);
  expectBytes(algorithms[of as "blake3"](message), plain);
});

eachSubject((subject) => {
  const { algorithm, name, modes } = subject;

  it("refuses an output that is shorter than the option says, and leaves it as it was", () => {
    for (const options of modes) {
      const length = options.length ?? algorithm.digestLength;
      const hasher = algorithm.create(options).update(message);
      const short = new Uint8Array(length - 1).fill(7);
      const must = `output must have at least ${length} bytes, got ${length - 1}`;
      for (const input of [message, "text", pattern(70_000)]) {
        expectError(() => algorithm.into(input, short, options), RangeError, `${name}.into: ${must}`);
      }
      expectError(() => hasher.digestInto(short), RangeError, `${name} hasher.digestInto: ${must}`);
      expect(short).toEqual(new Uint8Array(length - 1).fill(7));
      expectBytes(hasher.digest(), expected(subject, message, options));
    }
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

it.each([blake3, blake2xb, blake2xs])(
  "a reader takes an empty output, and none after it was disposed of",
  (algorithm) => {
    const reader = algorithm.create().xof();
    const empty = new Uint8Array();
    expect(reader.readInto(empty)).toBe(empty);
    reader.dispose();
    expect(() => reader.readInto(5 as never)).toThrow(
      `${algorithm.algorithm} reader.readInto: the reader was disposed`,
    );
  },
);
