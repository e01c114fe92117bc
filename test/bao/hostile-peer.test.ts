// What a peer that lies can do: nothing but end the stream. Every byte that comes out is right, whatever goes in.
import { toHex } from "blake-simd";
import {
  BaoDecodeStream,
  BaoEncodeStream,
  IntegrityError,
  Outboard,
  outboard,
  VerifiedRangeStream,
} from "blake-simd/bao";
import { IntegrityError as StreamIntegrityError } from "blake-simd/streams";
import { describe, expect, it } from "vitest";
import { concat, content, flipped, passed, through } from "../support/bao.ts";
import {
  baoCases,
  baoMessage,
  DecoderError,
  decodeAtOnce,
  encode,
  isPrefix,
  requireFlipsNoticed,
} from "../support/bao-peer.ts";

const KiB = 1024;
const message = baoMessage;

describe.each(baoCases)("$name", (each) => {
  const { format, group, range } = each;
  const encoded = encode(each);
  const decode = async (bytes: Uint8Array, size?: number) => {
    const { tree } = await encoded;
    return through(new BaoDecodeStream(tree.root, { format, group, ...range }), bytes, size);
  };

  it("is right as it is", async () => {
    const { bytes, right } = await encoded;
    expect(await decode(bytes)).toEqual({ bytes: right, error: undefined });
  });

  // One bit of every third byte, in turn; test/large flips every bit of every byte.
  it("with a single bit flipped gives no wrong byte and fails", async () => {
    const { bytes } = await encoded;
    const bits = Array.from(bytes, (_, at) => 8 * at + ((at ^ (at >> 3)) & 7));
    const most = bits.filter((_, i) => i % 3 === 0);
    expect(requireFlipsNoticed(each, await encoded, most)).toBeGreaterThan(most.length - 9);
  });

  it("cut anywhere gives what came before and fails", async () => {
    const { tree, bytes, right } = await encoded;
    for (let length = 0; length < bytes.length; length += length < 300 ? 1 : 7) {
      const { given, error } = decodeAtOnce(each, tree.root, bytes.subarray(0, length));
      if (!(error instanceof DecoderError) || error.reason !== "truncated") expect.fail(`cut at ${length}: ${error}`);
      if (!isPrefix(given, right)) expect.fail(`cut at ${length}: a wrong byte was given`);
    }
  });

  it("fails in the same way as a stream", async () => {
    const { bytes, tree } = await encoded;
    for (let at = 0; at < bytes.length; at += 997) {
      for (const wrong of [bytes.subarray(0, at), flipped(bytes, at, at % 8)]) {
        const { given, error } = decodeAtOnce(each, tree.root, wrong);
        const stream = await decode(wrong);
        expect(stream.bytes).toEqual(given);
        expect((stream.error as IntegrityError | undefined)?.reason).toBe(
          (error as IntegrityError | undefined)?.reason,
        );
      }
    }
  });

  it("with more after it fails after all of it is given", async () => {
    for (const more of [1, 64, 100_000]) {
      const { bytes, error } = await decode(concat([(await encoded).bytes, new Uint8Array(more)]));
      expect(error).toMatchObject({ name: "IntegrityError", reason: "trailing" });
      expect(bytes).toEqual((await encoded).right);
    }
  });
});

describe("a header", () => {
  const root = outboard("").root;
  const header = (length: bigint): Uint8Array => new Uint8Array(new BigUint64Array([length]).buffer);

  it.each([2n ** 53n, 2n ** 63n, 2n ** 64n - 1n])("of %d bytes is refused", async (length) => {
    const { error } = await through(new BaoDecodeStream(root), header(length));
    expect(error).toMatchObject({ name: "IntegrityError", reason: "length", offset: 0 });
    expect(() => Outboard.from(header(length), { root })).toThrow(IntegrityError);
  });

  it("of 2^53 - 1 bytes takes no memory, and is nowhere to be seen", async () => {
    const length = 2n ** 53n - 1n;
    const before = process.memoryUsage();
    const stream = new BaoDecodeStream(root);
    const { error } = await through(stream, concat([header(length), content(100_000)]));
    const after = process.memoryUsage();
    expect(error).toMatchObject({ name: "IntegrityError", reason: "node", offset: 0 });
    expect((error as Error).message).not.toContain("9007199254740991");
    expect(stream.length).toBeUndefined();
    expect(after.arrayBuffers + after.external - before.arrayBuffers - before.external).toBeLessThan(8 * 1024 * KiB);
  });

  it("alone is right for no content but the empty one", async () => {
    const { error } = await through(new BaoDecodeStream(outboard("a").root), header(0n));
    expect(error).toMatchObject({ name: "IntegrityError", reason: "bytes" });
    const empty = new BaoDecodeStream(root);
    expect(await passed(empty, header(0n))).toHaveLength(0);
    expect(empty.length).toBe(0);
  });

  it("says nothing of the length until the last chunk is verified", async () => {
    const tree = outboard(message, { group: KiB });
    const slice = await passed(new BaoEncodeStream(tree, { start: 0, end: 5 }), message);
    const first = new BaoDecodeStream(tree.root, { group: KiB, start: 0, end: 5 });
    // Another length of a tree whose left side is the same: as bao does, a slice of the beginning lets it pass.
    slice[0] = (slice[0] as number) ^ 1;
    expect(await passed(first, slice)).toEqual(message.subarray(0, 5));
    expect(first.length).toBeUndefined();
  });
});

describe("an IntegrityError", () => {
  it("says at which offset and why it failed, and neither a hash nor a length", async () => {
    const tree = outboard(message, { group: KiB });
    const encoded = await passed(new BaoEncodeStream(tree), message);
    const { error, bytes } = await through(
      new BaoDecodeStream(tree.root, { group: KiB }),
      flipped(encoded, encoded.length - 1),
    );
    expect(error).toBeInstanceOf(StreamIntegrityError);
    expect(error).toMatchObject({ name: "IntegrityError", reason: "bytes", offset: 19 * KiB });
    expect(bytes).toEqual(message.subarray(0, 19 * KiB));
    const { message: text } = error as Error;
    expect(text).not.toContain(toHex(tree.root).slice(0, 8));
    expect(text).not.toContain(String(message.length));
  });

  it("ends one stream, and no other that is under way", async () => {
    const tree = outboard(message, { group: KiB });
    const encoded = await passed(new BaoEncodeStream(tree), message);
    const [good, bad] = [
      new BaoDecodeStream(tree.root, { group: KiB }),
      new BaoDecodeStream(tree.root, { group: KiB }),
    ];
    const [right, wrong] = await Promise.all([
      through(good, encoded, 100),
      through(bad, flipped(encoded, 12_000), 100),
    ]);
    expect(wrong.error).toBeInstanceOf(IntegrityError);
    expect(right).toEqual({ bytes: message, error: undefined });
  });
});

it.each([800, 5000])("all is refused of %i bytes if any byte of the root is wrong", async (length) => {
  const bytes = message.subarray(0, length);
  const group = KiB;
  const tree = outboard(bytes, { group });
  const encoded = await passed(new BaoEncodeStream(tree), bytes);
  for (let at = 0; at < 32; at++) {
    const root = flipped(tree.root, at, at % 8);
    const wrong = Outboard.from(tree.toBytes(), { root, group });
    for (const [stream, input] of [
      [new BaoDecodeStream(root, { group }), encoded],
      [new VerifiedRangeStream(wrong), bytes],
    ] as const) {
      const { bytes: given, error } = await through(stream, input);
      expect(given).toHaveLength(0);
      expect(error, `byte ${at}`).toBeInstanceOf(IntegrityError);
    }
    if (length > KiB) expect(() => wrong.check()).toThrow(IntegrityError);
  }
});

describe("an outboard", () => {
  const tree = outboard(message, { group: KiB });

  it.each(["bao", "iroh", "post-order"] as const)("in %s with any node wrong is refused by check", (format) => {
    const bytes = tree.toBytes(format);
    const options = { root: tree.root, group: KiB, length: message.length, format };
    for (let at = format === "bao" ? 8 : 0; at < bytes.length; at++) {
      expect(() => Outboard.from(flipped(bytes, at, at % 8), options).check(), `byte ${at}`).toThrow(IntegrityError);
    }
    expect(() => Outboard.from(bytes.subarray(1), options)).toThrow(IntegrityError);
    expect(() => Outboard.from(concat([bytes, new Uint8Array(1)]), options)).toThrow(/goes on after/);
    Outboard.from(bytes, options).check();
  });
});
