// The extendable output: against the Rust crate's seeks, against @noble/hashes over whole ranges, and at both its ends.
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { blake2b, blake3, toHex, useBackend, type Xof } from "blake-simd";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { counting, hashOfHex, modeCases, vectors } from "../vectors/index.js";

const END = 2n ** 64n - 1n;
const seed = new TextEncoder().encode("seed");
const all = vectors("blake3");
const { xof: reads, modes } = all;

const official = modeCases(all);
const message = counting(Math.max(...official.map(({ input }) => input)));

/** `count` positions or lengths, the same in every run. */
function* pseudoRandom(count: number, below: number): Generator<number> {
  let state = 1;
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state % below;
  }
}

function reader(): Xof {
  return blake3.create().update(seed).xof();
}

afterAll(() => useBackend("simd128"));

describe.each(["baseline", "simd128"] as const)("xof in the %s build", (backend) => {
  beforeAll(() => useBackend(backend));

  it.each(reads)("reads what Rust's reads at $position of a $mode of $input bytes", (read) => {
    const xof = blake3.create(modes[read.mode]).update(counting(read.input)).xof();
    xof.position = read.position;
    const length = read.output.length / 2;
    expect(toHex(xof.read(length))).toBe(read.output);
    expect(xof.position).toBe(read.position + BigInt(length));
  });

  it("gives the official outputs, whole and backwards in pieces", () => {
    for (const { input, options, digest } of official) {
      const { length, ...mode } = options;
      const xof = blake3.create(mode).update(message.subarray(0, input)).xof();
      expect(toHex(xof.read(length as number))).toBe(digest);
      for (const [from, to] of [
        [100, 131],
        [64, 100],
        [1, 64],
        [0, 1],
      ] as const) {
        if (to > digest.length / 2) continue;
        xof.position = from;
        expect(toHex(xof.read(to - from))).toBe(digest.slice(2 * from, 2 * to));
      }
    }
  });

  it("gives any part of an output", () => {
    const whole = nobleBlake3(counting(1000), { dkLen: 40_000 });
    const xof = blake3.create().update(counting(1000)).xof();
    const lengths = [0, 1, 31, 32, 63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257, 319, 511, 512, 1000];
    for (let position = 0; position <= 330; position++) {
      for (const length of lengths) {
        xof.position = position;
        const part = xof.read(length);
        expect(Buffer.compare(part, whole.subarray(position, position + length)), `${position} ${length}`).toBe(0);
      }
    }
    for (const position of pseudoRandom(50, 20_000)) {
      for (const length of pseudoRandom(4, 20_000)) {
        xof.position = position;
        expect(Buffer.compare(xof.read(length), whole.subarray(position, position + length))).toBe(0);
      }
    }
  });

  it("gives one output, however it is read", () => {
    const length = 100_000;
    const whole = hashOfHex([nobleBlake3(seed, { dkLen: length })]);
    expect(hashOfHex([reader().read(length)])).toBe(whole);
    for (const step of [1, 63, 64, 100, 4096, 16_384, 16_385]) {
      const xof = reader();
      const output = new Uint8Array(length);
      for (let at = 0; at < (step === 1 ? 500 : length); at += step) xof.readInto(output.subarray(at, at + step));
      if (step === 1) xof.readInto(output.subarray(500));
      expect(hashOfHex([output]), `steps of ${step}`).toBe(whole);
    }
    expect(hashOfHex([blake3(seed, { length })])).toBe(whole);
    expect(hashOfHex([blake3.create({ length }).update(seed).digest()])).toBe(whole);
  });

  it("begins with the digest of every message that a tree has a shape for", () => {
    for (const length of [0, 1, 64, 65, 1023, 1024, 1025, 2048, 2049, 3072, 4096, 5000, 65_536, 65_537, 200_000]) {
      const message = counting(length);
      const xof = blake3.create().update(message).xof();
      expect(toHex(xof.read(100))).toBe(toHex(nobleBlake3(message, { dkLen: 100 })));
    }
  });

  it("is not disturbed by its hasher, by others, or by one-shots", () => {
    const hasher = blake3.create().update(seed);
    const [first, other] = [
      hasher.xof(),
      blake3
        .create({ key: counting(32) })
        .update(seed)
        .xof(),
    ];
    const firstWhole = nobleBlake3(seed, { dkLen: 3000 });
    const otherWhole = nobleBlake3(seed, { dkLen: 3000, key: counting(32) });
    hasher.update("more");
    for (let at = 0; at < 3000; at += 300) {
      expect(toHex(first.read(300))).toBe(toHex(firstWhole.subarray(at, at + 300)));
      hasher.update(counting(at));
      expect(toHex(blake3("one-shot"))).toBe(toHex(nobleBlake3(Buffer.from("one-shot"))));
      expect(toHex(other.read(300))).toBe(toHex(otherWhole.subarray(at, at + 300)));
    }
    const all = ["seed", "more", ...Array.from({ length: 10 }, (_, i) => counting(300 * i))];
    expect(hasher.digest("hex")).toBe(toHex(nobleBlake3(Buffer.concat(all.map((piece) => Buffer.from(piece))))));
    hasher.dispose();
    first.position = 0n;
    expect(toHex(first.read(3000))).toBe(toHex(firstWhole));
  });

  it("continues in the other build", () => {
    const xof = reader();
    const whole = toHex(nobleBlake3(seed, { dkLen: 200 }));
    const half = toHex(xof.read(100));
    useBackend(backend === "simd128" ? "baseline" : "simd128");
    expect(half + toHex(xof.read(100))).toBe(whole);
    useBackend(backend);
  });

  it("reads up to the last byte of 2^64 - 1, and not past it", () => {
    const last = reads.filter(
      ({ position, output }) => output.length > 10 && position + BigInt(output.length / 2) === END,
    );
    expect(last.length).toBeGreaterThan(0);
    for (const read of last) {
      const xof = blake3.create(modes[read.mode]).update(counting(read.input)).xof();
      xof.position = END - 5n;
      expect(() => xof.read(6)).toThrow(
        new RangeError(`blake3 reader.read: length must be at most 5 at position ${END - 5n}, got 6`),
      );
      const untouched = new Uint8Array(6).fill(7);
      expect(() => xof.readInto(untouched)).toThrow(RangeError);
      expect(untouched).toEqual(new Uint8Array(6).fill(7));
      expect(xof.position).toBe(END - 5n);
      expect(toHex(xof.read(5))).toBe(read.output.slice(-10));
      expect(xof.position).toBe(END);
      expect(xof.read(0)).toEqual(new Uint8Array(0));
      expect(() => xof.read(1)).toThrow(RangeError);
    }
  });

  it("counts positions beyond 2^53 exactly", () => {
    const xof = reader();
    for (const position of [2n ** 38n, 2n ** 53n, 2n ** 63n]) {
      xof.position = position - 1n;
      const [first, second] = [xof.read(1), xof.read(1)];
      expect(xof.position).toBe(position + 1n);
      xof.position = position - 1n;
      expect(xof.read(2)).toEqual(Uint8Array.of(first[0] as number, second[0] as number));
    }
  });

  it("refuses invalid positions and lengths, and does not move", () => {
    const xof = reader();
    xof.position = 10;
    const positions: [unknown, typeof Error, string][] = [
      [-1, RangeError, "position must be an integer from 0 to 18446744073709551615, got -1"],
      [1.5, RangeError, "position must be an integer from 0 to 18446744073709551615, got 1.5"],
      [2n ** 64n, RangeError, "position must be an integer from 0 to 18446744073709551615, got 18446744073709551616"],
      [2 ** 53, RangeError, "position must be a bigint above 2^53 - 1, got number 9007199254740992"],
      ["5", TypeError, "position must be a number or a bigint, got a string of length 1"],
      [undefined, TypeError, "position must be a number or a bigint, got undefined"],
    ];
    for (const [value, kind, message] of positions) {
      const seek = () => Object.assign(xof, { position: value });
      expect(seek).toThrow(kind);
      expect(seek).toThrow(`blake3 reader.position: ${message}`);
    }
    for (const length of [-1, 1.5, Number.NaN, 2 ** 53]) expect(() => xof.read(length)).toThrow(RangeError);
    for (const length of [undefined, "5", 5n]) expect(() => xof.read(length as never)).toThrow(TypeError);
    expect(() => xof.read(Number.MAX_SAFE_INTEGER)).toThrow(
      "blake3 reader.read: length must be a number of bytes that can be allocated, got number 9007199254740991",
    );
    expect(() => xof.readInto(new ArrayBuffer(5) as never)).toThrow(
      "blake3 reader.readInto: output must be a Uint8Array",
    );
    expect(xof.position).toBe(10n);
  });

  it("is gone after dispose", () => {
    const xof = reader();
    xof.dispose();
    xof.dispose();
    const message = (method: string) => `blake3 reader.${method}: the reader was disposed`;
    expect(() => xof.read(1)).toThrow(message("read"));
    expect(() => xof.readInto(new Uint8Array(1))).toThrow(message("readInto"));
    expect(() => Object.assign(xof, { position: 1 })).toThrow(message("position"));
    const hasher = blake3.create();
    hasher.dispose();
    expect(() => hasher.xof()).toThrow("blake3 hasher.xof: the hasher was disposed");
  });
});

it("has a clone that can do the same", () => {
  const clone = blake3.create().update(seed).clone();
  expect(toHex(clone.xof().read(10))).toBe(toHex(nobleBlake3(seed, { dkLen: 10 })));
});

it("is there for extendable outputs alone", () => {
  // @ts-expect-error: the type has no such method either
  expect(blake2b.create().xof).toBeUndefined();
});
