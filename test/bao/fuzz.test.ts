// A fuzzed decoder: seeded mutations of encodings of every format, group and range, in chunks of random sizes. Whatever comes
// in, no wrong byte is given, and what ends the decoding is an IntegrityError with an offset in the content.
//
//   BAO_FUZZ_SECONDS=600 BAO_FUZZ_SEED=7 npx vitest run test/bao/fuzz.test.ts      longer, and with another seed
import { type Outboard, outboard } from "blake-simd/bao";
import { describe, expect, it } from "vitest";
import { concat, content } from "../support/bao.ts";
import { type BaoCase, DecoderError, decodeAtOnce, type Encoded, encode, isPrefix } from "../support/bao-peer.ts";

const KiB = 1024;
const SECONDS = Number(process.env.BAO_FUZZ_SECONDS ?? 3);
const SEED = Number(process.env.BAO_FUZZ_SEED ?? 1);
/** Even a slow machine runs as many. */
const LEAST = 300;

/** Numbers below a limit, from a seed (xorshift32). */
function numbersFrom(seed: number): (below: number) => number {
  let state = Math.imul(seed, 0x9e37_79b9) | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

type Random = ReturnType<typeof numbersFrom>;
type Case = Omit<BaoCase, "step">;
type Bytes = Uint8Array<ArrayBuffer>;

const LENGTHS = [0, 1, 1023, 1024, 1025, 5000, 16 * KiB, 16 * KiB + 1, 70_000, 300_001];
const GROUPS = [KiB, 4 * KiB, 16 * KiB, 64 * KiB];

function rangeFrom(random: Random, length: number): Case["range"] {
  const position = (): number => random(length + 1);
  const span = () => {
    const [a, b] = [position(), position()];
    return { start: Math.min(a, b), end: Math.max(a, b) };
  };
  return [() => ({}), span, () => ({ start: position() }), () => ({ end: position() })][random(4)]?.() ?? {};
}

function caseFrom(random: Random): { each: Case; message: Bytes } {
  const length = LENGTHS[random(LENGTHS.length)] as number;
  const format = random(2) === 0 ? "bao" : "iroh";
  const group = GROUPS[random(GROUPS.length)] as number;
  const range = rangeFrom(random, length);
  return {
    each: { name: `${format}, ${group}, ${JSON.stringify(range)} of ${length}`, format, group, range },
    message: content(length),
  };
}

/** Ways to change an encoding. `other` is one of the same content in the same or another shape. */
const MUTATIONS: Record<string, (bytes: Bytes, random: Random, other: Bytes) => Bytes> = {
  "bits flipped": (bytes, random) => {
    const copy = bytes.slice();
    for (let i = 0; i <= random(3) && copy.length > 0; i++) {
      const at = random(copy.length);
      copy[at] = (copy[at] as number) ^ (1 << random(8));
    }
    return copy;
  },
  "a bit of the first nodes flipped": (bytes, random) => {
    const copy = bytes.slice();
    const at = 8 + random(64 * 5);
    if (at < copy.length) copy[at] = (copy[at] as number) ^ (1 << random(8));
    return copy;
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
  "bytes said twice": (bytes, random) => {
    const at = random(bytes.length + 1);
    return concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - 1 - random(2000)))]);
  },
  "two nodes or chunks exchanged": (bytes, random) => {
    const copy = bytes.slice();
    const unit = [32, 64, KiB][random(3)] as number;
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
    view.setBigUint64(0, lengths[random(lengths.length)] as bigint, true);
    return copy;
  },
  "another encoding's end": (bytes, random, other) => {
    const at = random(Math.min(bytes.length, other.length) + 1);
    return concat([bytes.subarray(0, at), other.subarray(at)]);
  },
};

function chunksFrom(random: Random, bytes: Bytes): Uint8Array[] {
  const most = [1, 70, 1100, 20_000, 400_000][random(5)] as number;
  if (most < 70 && bytes.length > 10_000) return [bytes];
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + random(most);
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

/** Whether an encoding is right, or wrong only in a length that nothing in it proves (bao's specification). */
function mayPass({ range }: Case, bytes: Bytes, changed: Bytes): boolean {
  const first = "end" in range ? 8 : 0;
  return Buffer.compare(changed.subarray(first), bytes.subarray(first)) === 0;
}

/** What may be wrong about what a decoder made of changed bytes; undefined if nothing is. */
function fault(each: Case, { tree, bytes, right }: Encoded, changed: Bytes, random: Random): string | undefined {
  const { given, error } = decodeAtOnce(each, tree.root, ...chunksFrom(random, changed));
  if (!isPrefix(given, right)) return "a wrong byte was given";
  if (error === undefined && given.length !== right.length) return "bytes are missing, and no error says so";
  if (error === undefined) return mayPass(each, bytes, changed) ? undefined : "a change was not noticed";
  if (!(error instanceof DecoderError)) return `not an IntegrityError: ${error}`;
  if (Buffer.compare(changed, bytes) === 0) return `the right bytes were refused: ${error}`;
  const within = Number.isSafeInteger(error.offset) && error.offset >= 0;
  return within ? undefined : `offset ${error.offset}`;
}

/** Of the same content, by the other format and another group. */
async function otherOf({ format, range }: Case, message: Bytes, random: Random): Promise<Bytes> {
  const group = GROUPS[random(GROUPS.length)] as number;
  const other = { name: "", format: format === "bao" ? "iroh" : "bao", group, range } as const;
  return (await encode(other, message)).bytes;
}

describe("the decoder", () => {
  const names = Object.keys(MUTATIONS);

  it("gives no wrong byte of anything that is made of an encoding", { timeout: (SECONDS + 120) * 1000 }, async () => {
    const counts = new Map<string, number>(names.map((name) => [name, 0]));
    const refused = new Map<string, number>(names.map((name) => [name, 0]));
    const end = performance.now() + SECONDS * 1000;
    for (let run = 0; run < LEAST || performance.now() < end; run++) {
      const seed = SEED * 1_000_000 + run;
      const random = numbersFrom(seed);
      const { each, message } = caseFrom(random);
      const encoded = await encode(each, message);
      const other = await otherOf(each, message, random);
      for (const name of names) {
        const changed = (MUTATIONS[name] as (typeof MUTATIONS)[string])(encoded.bytes, random, other);
        const wrong = fault(each, encoded, changed, random);
        if (wrong) expect.fail(`seed ${seed}, ${each.name}, ${name}: ${wrong}`);
        counts.set(name, (counts.get(name) as number) + 1);
        if (Buffer.compare(changed, encoded.bytes) !== 0) refused.set(name, (refused.get(name) as number) + 1);
      }
      expect(fault(each, encoded, encoded.bytes, random), `seed ${seed}, ${each.name}, as it is`).toBeUndefined();
    }
    for (const name of names) {
      expect(counts.get(name)).toBeGreaterThanOrEqual(LEAST);
      expect(refused.get(name), `${name} changes most encodings`).toBeGreaterThan(LEAST / 4);
    }
  });

  it("of another content gives nothing", () => {
    const tree: Outboard = outboard(content(5000), { group: KiB });
    const { given, error } = decodeAtOnce({ name: "", format: "bao", group: KiB, range: {} }, tree.root, content(9000));
    expect(given).toHaveLength(0);
    expect(error).toBeInstanceOf(DecoderError);
  });
});
