// Updates by number (`blake-simd/typed`): each appends what a DataView would write, refuses what does not fit, and
// changes nothing then.
import { blake3, type Hasher } from "blake-simd";
import { SubtreeHasher } from "blake-simd/hazmat";
import * as typed from "blake-simd/typed";
import { expect, it } from "vitest";
import { expectError, notBytes } from "../support/errors.ts";
import { AREA, expectBytes, pattern } from "../support/messages.ts";
import { eachSubject, expected } from "../support/subjects.ts";

const updates = { ...typed };
type Update = keyof typeof updates;

interface Case {
  readonly update: Update;
  readonly values: readonly (number | bigint)[];
  /** Bytes that a value becomes. */
  readonly size: number;
  write(view: DataView, value: never): void;
}

const uints = (bits: number) => [0, 1, 2 ** bits - 1, 2 ** (bits - 1), 2 ** (bits - 1) - 1, 0x5a, -0];
const bigints = [0n, 1n, 2n ** 64n - 1n, 2n ** 63n, 2n ** 32n, 2n ** 32n - 1n, 0x0123456789abcdefn];
const floats = [0, -0, 1, -1.5, Math.PI, 1e-45, 5e-324, -1e38, 3.4028234663852886e38, Infinity, -Infinity];
const doubles = [...floats, Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 53 + 2];

const cases: readonly Case[] = [
  { update: "updateUint8", values: uints(8), size: 1, write: (view, value) => view.setUint8(0, value) },
  { update: "updateUint16LE", values: uints(16), size: 2, write: (view, value) => view.setUint16(0, value, true) },
  { update: "updateUint16BE", values: uints(16), size: 2, write: (view, value) => view.setUint16(0, value) },
  { update: "updateUint32LE", values: uints(32), size: 4, write: (view, value) => view.setUint32(0, value, true) },
  { update: "updateUint32BE", values: uints(32), size: 4, write: (view, value) => view.setUint32(0, value) },
  { update: "updateUint64LE", values: bigints, size: 8, write: (view, value) => view.setBigUint64(0, value, true) },
  { update: "updateUint64BE", values: bigints, size: 8, write: (view, value) => view.setBigUint64(0, value) },
  { update: "updateFloat32LE", values: floats, size: 4, write: (view, value) => view.setFloat32(0, value, true) },
  { update: "updateFloat32BE", values: floats, size: 4, write: (view, value) => view.setFloat32(0, value) },
  { update: "updateFloat64LE", values: doubles, size: 8, write: (view, value) => view.setFloat64(0, value, true) },
  { update: "updateFloat64BE", values: doubles, size: 8, write: (view, value) => view.setFloat64(0, value) },
];

function append(hasher: Hasher, update: Update, value: unknown): Hasher {
  return updates[update](hasher, value as never);
}

function bytesOf({ size, write }: Case, value: number | bigint): Uint8Array {
  const view = new DataView(new ArrayBuffer(size));
  write(view, value as never);
  return new Uint8Array(view.buffer);
}

eachSubject((subject) => {
  const { algorithm, blockLength } = subject;

  it.each(cases)("appends what a DataView writes: $update", (typed) => {
    for (const value of typed.values) {
      const hasher = algorithm.create();
      expect(append(hasher, typed.update, value)).toBe(hasher);
      expect(hasher.bytesHashed).toBe(BigInt(typed.size));
      expectBytes(hasher.digest(), expected(subject, bytesOf(typed, value)), `${typed.update} ${value}`);
    }
  });

  it("appends at every place of a block and of the input area's end", () => {
    const places = [...Array(blockLength + 9).keys()].map((i) => (i > blockLength ? AREA - 9 + i - blockLength : i));
    for (const [i, before] of places.entries()) {
      const typed = cases[i % cases.length]!;
      const value = typed.values[i % typed.values.length]!;
      const head = pattern(before);
      const hasher = append(algorithm.create().update(head), typed.update, value).update("tail");
      const message = Buffer.concat([head, bytesOf(typed, value), Buffer.from("tail")]);
      expectBytes(hasher.digest(), expected(subject, message), `${typed.update} after ${before}`);
    }
  });

  it("gives every NaN the same bytes", () => {
    const bits = new DataView(new ArrayBuffer(8));
    bits.setBigUint64(0, 0xfff0_dead_beef_0001n);
    const odd = bits.getFloat64(0);
    for (const nan of [Number.NaN, -Number.NaN, odd, 0 / 0, Number("x")]) {
      expectBytes(
        append(algorithm.create(), "updateFloat32LE", nan).digest(),
        expected(subject, Uint8Array.of(0, 0, 192, 127)),
      );
      expectBytes(
        append(algorithm.create(), "updateFloat32BE", nan).digest(),
        expected(subject, Uint8Array.of(127, 192, 0, 0)),
      );
      const double = Uint8Array.of(127, 248, 0, 0, 0, 0, 0, 0);
      expectBytes(append(algorithm.create(), "updateFloat64BE", nan).digest(), expected(subject, double));
      expectBytes(
        append(algorithm.create(), "updateFloat64LE", nan).digest(),
        expected(subject, double.slice().reverse()),
      );
    }
  });

  const kindOf = (value: number | bigint) =>
    value < 0 ? "a negative one" : value >= 256 ? "a greater one" : "a fraction or NaN";

  it("refuses numbers out of range, and keeps the message", () => {
    const hasher = algorithm.create().update("abc");
    // The value is a part of the message, and a message may be secret.
    const refuse = (update: Update, value: number | bigint, must: string, got = kindOf(value)) =>
      expectError(() => append(hasher, update, value), RangeError, `${update}: value`, `${must}, got ${got}`);
    for (const [bits, orders] of [
      [8, [""]],
      [16, ["LE", "BE"]],
      [32, ["LE", "BE"]],
    ] as const) {
      for (const order of orders) {
        const update = `updateUint${bits}${order}` as Update;
        const range = `an integer from 0 to ${2 ** bits - 1}`;
        for (const value of [-1, 2 ** bits, 0.5, NaN, Infinity, -Infinity, 2 ** 53]) refuse(update, value, range);
      }
    }
    for (const update of ["updateUint64LE", "updateUint64BE"] as const) {
      for (const value of [-1n, 2n ** 64n, -(2n ** 64n)]) refuse(update, value, `0 to ${2n ** 64n - 1n}`);
    }
    for (const update of ["updateFloat32LE", "updateFloat32BE"] as const) {
      for (const value of [3.5e38, -3.5e38, Number.MAX_VALUE])
        refuse(update, value, "single precision", "one beyond it");
    }
    expect(hasher.bytesHashed).toBe(3n);
    expectBytes(hasher.digest(), expected(subject, Buffer.from("abc")));
  });

  it("refuses other kinds of value, and keeps the message", () => {
    const hasher = algorithm.create().update("abc");
    for (const { update } of cases) {
      const kind = update.includes("64") && update.includes("Uint") ? "bigint" : "number";
      for (const [value, got] of [...notBytes, ["7", "a string of length 1"], [new Number(7), "an object"]] as const) {
        if (typeof value === kind) continue;
        expectError(() => append(hasher, update, value), TypeError, `${update}: value must be a ${kind}`, got);
      }
    }
    expectBytes(hasher.digest(), expected(subject, Buffer.from("abc")));
  });
});

it("is for hashers of this package, and says so", () => {
  const others = [undefined, null, 7, "abc", {}, new Uint8Array(1), blake3, blake3.create().xof(), new SubtreeHasher()];
  for (const { update, values } of cases) {
    for (const other of others) {
      const text = `${update}: hasher must be a hasher of this package, got `;
      expectError(() => append(other as never, update, values[0]), TypeError, text);
    }
  }
});

it("rounds to single precision as Math.fround does", () => {
  for (const value of [0.1, 1 / 3, 16_777_217, 1e-46, 3.4028235e38]) {
    const rounded = bytesOf(cases[7]!, Math.fround(value));
    expectBytes(append(blake3.create(), "updateFloat32LE", value).digest(), blake3(rounded));
  }
});
