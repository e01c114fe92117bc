// Seeded mutations of encodings of every format, group and range, in chunks of random sizes: a decoder matches the
// reference model in its bytes, its error and the offset.
//
//   BAO_FUZZ_SECONDS=600 BAO_FUZZ_SEED=7 npx vitest run test/bao/fuzz.test.ts      longer, and with another seed
import { expect, it } from "vitest";
import { outboard } from "../../js/bao/outboard-of.ts";
import { useLatency } from "../support/backends.ts";
import { concat, content, flipped } from "../support/bao.ts";
import { Decoding, encoderOf, type Make, pushed, verdictOn } from "../support/bao-machines.ts";
import { decoded, type Shape, selected, type Verdict } from "../support/bao-model.ts";
import { same } from "../support/messages.ts";

const KiB = 1024;
const SECONDS = Number(process.env.BAO_FUZZ_SECONDS ?? 0);
const SEED = Number(process.env.BAO_FUZZ_SEED ?? 1);
const LEAST = 120;

/** Numbers below a limit, from a seed (xorshift32). */
function randomFrom(seed: number): (below: number) => number {
  let state = Math.imul(seed, 0x9e37_79b9) | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

type Random = ReturnType<typeof randomFrom>;
type Bytes = Uint8Array<ArrayBuffer>;

const LENGTHS = [0, 1, 1023, 1024, 1025, 5000, 16 * KiB, 16 * KiB + 1, 70_000, 300_001];
const GROUPS = [KiB, 4 * KiB, 16 * KiB, 64 * KiB];

function shapeFrom(random: Random, length: number): Shape {
  const position = () => random(length + 1);
  const span = () => {
    const [start, end] = [position(), position()].sort((a, b) => a - b);
    return { start, end };
  };
  const ranges = [() => ({}), span, () => ({ start: position() }), () => ({ ranges: [span(), span(), span()] })];
  const format = random(2) === 0 ? "bao" : "iroh";
  return { format, group: GROUPS[random(GROUPS.length)]!, ...ranges[random(ranges.length)]!() };
}

function encode(message: Bytes, shape: Shape): Bytes {
  const tree = outboard(message, { group: shape.group });
  const { group: _, ...options } = shape;
  return pushed((give) => encoderOf(tree, options, give), message).given as Bytes;
}

/** Ways to change an encoding. `other` is one of the same content in another shape. */
const MUTATIONS: Record<string, (bytes: Bytes, random: Random, other: Bytes) => Bytes> = {
  "bits flipped": (bytes, random) => {
    let copy = bytes;
    for (let i = 0; i <= random(3) && copy.length > 0; i++) copy = flipped(copy, random(copy.length), random(8));
    return copy;
  },
  "a bit of the first nodes flipped": (bytes, random) => {
    const at = 8 + random(64 * 5);
    return at < bytes.length ? flipped(bytes, at, random(8)) : bytes;
  },
  "cut off": (bytes, random) => bytes.slice(0, random(bytes.length + 1)),
  "something more at the end": (bytes, random) => concat([bytes, new Uint8Array(1 + random(200))]),
  "bytes left out": (bytes, random) => {
    const at = random(bytes.length + 1);
    return concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random(2000))]);
  },
  "bytes put in": (bytes, random) => {
    const at = random(bytes.length + 1);
    return concat([bytes.subarray(0, at), content(1 + random(100)), bytes.subarray(at)]);
  },
  "bytes duplicated": (bytes, random) => {
    const at = random(bytes.length + 1);
    return concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - 1 - random(2000)))]);
  },
  "two nodes or chunks exchanged": (bytes, random) => {
    const copy = bytes.slice();
    const unit = [32, 64, KiB][random(3)]!;
    const places = Math.floor((copy.length - 8) / unit);
    if (places < 2) return copy;
    const [a, b] = [8 + unit * random(places), 8 + unit * random(places)];
    copy.copyWithin(a, b, b + unit);
    copy.set(bytes.subarray(a, a + unit), b);
    return copy;
  },
  "another length in the header": (bytes, random) => {
    const copy = bytes.slice();
    const view = new DataView(copy.buffer);
    const length = view.getBigUint64(0, true);
    const lengths = [0n, length + 1n, length - 1n, length * 2n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 64n - 1n];
    view.setBigUint64(0, lengths[random(lengths.length)]!, true);
    return copy;
  },
  "another encoding's end": (bytes, random, other) => {
    const at = random(Math.min(bytes.length, other.length) + 1);
    return concat([bytes.subarray(0, at), other.subarray(at)]);
  },
};

/** What comes out of bytes in chunks of random sizes. */
function inChunks(random: Random, make: Make, bytes: Bytes): Verdict {
  const most = [70, 1100, 20_000, 400_000][random(4)]!;
  const given: Uint8Array[] = [];
  try {
    const machine = make((part) => given.push(part));
    for (let at = 0, size = 0; at < bytes.length; at += size) {
      size = 1 + random(most);
      machine.push(bytes.subarray(at, at + size));
    }
    machine.end();
    return { given: concat(given) };
  } catch (error) {
    return verdictOn(concat(given), error);
  }
}

it("a decoder's verdict on any mutation of an encoding is the model's", () => {
  const refused = new Map<string, number>();
  const end = performance.now() + SECONDS * 1000;
  for (let run = 0; run < LEAST || performance.now() < end; run++) {
    const seed = SEED * 1_000_000 + run;
    const random = randomFrom(seed);
    useLatency(run % 2 ? 1 : 2);
    const message = content(LENGTHS[random(LENGTHS.length)]!);
    const shape = shapeFrom(random, message.length);
    const { root } = outboard(message);
    const bytes = encode(message, shape);
    const other = encode(message, { ...shape, format: "bao", group: GROUPS[random(GROUPS.length)]! });
    const make: Make = (give) => new Decoding(root, shape, give);
    const right = selected(shape, message);
    for (const [name, mutate] of [["as it is", (bytes: Bytes) => bytes] as const, ...Object.entries(MUTATIONS)]) {
      const changed = mutate(bytes, random, other);
      const verdict = inChunks(random, make, changed);
      const where = `seed ${seed}, ${name}, ${JSON.stringify(shape)} of ${message.length}`;
      const wanted = decoded(shape, root, changed);
      expect([verdict.reason, verdict.offset], where).toEqual([wanted.reason, wanted.offset]);
      if (!same(verdict.given, wanted.given)) expect.fail(`${where}: other bytes`);
      if (!same(verdict.given, right.subarray(0, verdict.given.length))) expect.fail(`${where}: a wrong byte`);
      if (verdict.reason) refused.set(name, (refused.get(name) ?? 0) + 1);
      else expect(verdict.given.length, where).toBe(right.length);
    }
  }
  for (const name of Object.keys(MUTATIONS)) expect(refused.get(name), name).toBeGreaterThan(LEAST / 4);
});
