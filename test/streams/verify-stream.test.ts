// VerifyStream: what a consumer gets of a right message, and what of a wrong one.
import { createHash } from "node:crypto";
import { blake2b as nobleBlake2b } from "@noble/hashes/blake2.js";
import { type Algorithm, blake2b, blake3, toHex } from "blake-simd";
import { type Chunk, IntegrityError, VerifyStream } from "blake-simd/streams";
import { describe, expect, it } from "vitest";
import { expectQuick } from "../support/errors.ts";
import {
  bytes,
  cut,
  forbidUnhandledRejections,
  nobleDigest,
  rejection,
  streamOf,
  watched,
} from "../support/streams.ts";

forbidUnhandledRejections();

/** Reads to the end: what came, and the error at the end. */
async function drain<C>(stream: ReadableStream<C>): Promise<{ chunks: C[]; error?: unknown }> {
  const reader = stream.getReader();
  const chunks: C[] = [];
  for (;;) {
    try {
      const { done, value } = await reader.read();
      if (done) return { chunks };
      chunks.push(value);
    } catch (error) {
      return { chunks, error };
    }
  }
}

async function verify(chunks: readonly Chunk[], expected: Chunk) {
  const { algorithm, disposed } = watched();
  const stream = new VerifyStream<Chunk>(algorithm, expected);
  const writing = rejection(streamOf(chunks).pipeTo(stream.writable));
  const read = await drain(stream.readable);
  const writeError = await writing;
  const digest = await stream.digest.catch((error: unknown) => error);
  return {
    ...read,
    writeError: (writeError as Error).message === "fulfilled" ? undefined : writeError,
    digest,
    disposed,
  };
}

const message = bytes(10_000);
const right = nobleDigest(message);
const wrong = right.map((byte, i) => (i === 31 ? byte ^ 1 : byte));

describe("a right message", () => {
  it.each([1, 999, 1000, 9999, 10_000])("goes through in chunks of %i bytes", async (size) => {
    const chunks = cut(message, size);
    const result = await verify(chunks, right);
    expect(result.error).toBe(undefined);
    expect(result.writeError).toBe(undefined);
    expect(result.chunks.length).toBe(chunks.length);
    expect(result.chunks.every((chunk, i) => Buffer.compare(chunk as Buffer, chunks[i] as Buffer) === 0)).toBe(true);
    expect(result.digest).toEqual(right);
    expect(result.disposed()).toBe(true);
  });

  it.each([
    ["no chunk", []],
    ["an empty chunk", [new Uint8Array(0)]],
    ["empty chunks of each kind", ["", new ArrayBuffer(0), new DataView(new ArrayBuffer(0))]],
  ])("may be empty: %s", async (_, chunks) => {
    const result = await verify(chunks, nobleDigest(""));
    expect(result.error).toBe(undefined);
    expect(result.chunks).toEqual(chunks.map((chunk) => (typeof chunk === "string" ? chunk : new Uint8Array(0))));
    expect(result.digest).toEqual(nobleDigest(""));
  });

  it("goes through as text", async () => {
    const result = await verify(["a\ud83d", "\udc1a", ""], nobleDigest("a🐚"));
    expect(result.error).toBe(undefined);
    expect(result.chunks.join("")).toBe("a🐚");
  });

  it("is verified under a key and with a length", async () => {
    const options = { key: bytes(40), length: 24 };
    const stream = new VerifyStream(blake2b, nobleBlake2b(message, { key: bytes(40), dkLen: 24 }), options);
    expect((await drain(streamOf([message]).pipeThrough(stream))).error).toBe(undefined);
  });
});

describe("a wrong message", () => {
  it.each([
    ["in one chunk", [message], 0],
    ["in two chunks", [message.subarray(0, 4000), message.subarray(4000)], 1],
    ["in three chunks", cut(message, 4000), 2],
    ["with an empty chunk at the end", [...cut(message, 4000), new Uint8Array(0)], 2],
    ["with many empty chunks at the end", [message, ...Array<Chunk>(9).fill("")], 0],
    ["with an empty buffer at the end", [message, new ArrayBuffer(0)], 0],
    ["with an empty DataView at the end", [message, new DataView(new ArrayBuffer(0))], 0],
    ["of text", ["a", "b", "c"], 2],
    ["of a single byte", [new Uint8Array(1)], 0],
    ["that is empty", [], 0],
  ])("%s never gets through whole", async (_, chunks, passed) => {
    const result = await verify(chunks, wrong);
    expect(result.error).toBeInstanceOf(IntegrityError);
    expect(result.digest).toBe(result.error);
    expect(result.writeError).toBe(result.error);
    expect(result.chunks.filter((chunk) => chunk !== "" && (chunk as Uint8Array).byteLength !== 0)).toEqual(
      chunks.slice(0, passed),
    );
    expect(result.disposed()).toBe(true);
  });

  const lying = <C extends object>(chunk: C): C =>
    Object.defineProperties(chunk, { byteLength: { value: 0 }, length: { value: 0 } });

  it.each<[string, () => Chunk[]]>([
    ["a Uint8Array", () => [lying(message.slice())]],
    ["a DataView", () => [lying(new DataView(message.slice().buffer))]],
    ["an ArrayBuffer", () => [lying(message.slice().buffer)]],
    ["several", () => [message.slice(0, 10), lying(message.slice(10)), new Uint8Array(0)]],
  ])("never gets through whole if a chunk says that it is empty: %s", async (_, make) => {
    const chunks = make();
    const result = await verify(chunks, wrong);
    expect(result.error).toBeInstanceOf(IntegrityError);
    const passed = result.chunks.reduce<number>((sum, chunk) => sum + (chunk as Uint8Array).byteLength, 0);
    expect(passed).toBeLessThan(chunks.length > 1 ? 11 : 1);
  });

  it("of half a character and an empty chunk does not get through", async () => {
    const result = await verify(["\ud83d", new Uint8Array(0)], wrong);
    expect(result.error).toBeInstanceOf(IntegrityError);
    expect(result.chunks).toEqual([new Uint8Array(0)]);
  });

  it("is one that lacks its end, or has more", async () => {
    for (const other of [message.subarray(0, 9999), bytes(10_001), message.with(5, 9)]) {
      expect((await verify(cut(other, 1000), right)).error).toBeInstanceOf(IntegrityError);
    }
  });

  const failure = (stream: VerifyStream) =>
    rejection(streamOf([message]).pipeThrough(stream).pipeTo(new WritableStream()));

  it("fails the pipe with an error that has both digests", async () => {
    const [expected, actual] = [toHex(wrong), toHex(right)];
    const error = await failure(new VerifyStream(blake3, wrong));
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toBe(
      `IntegrityError: VerifyStream: the digest of the message must be ${expected}, got ${actual}`,
    );
    expect({ ...(error as object) }).toEqual({ expected, actual });
  });

  it("of a long digest is not said in the text", async () => {
    const error = await failure(new VerifyStream(blake3, bytes(65), { length: 65 }));
    expect(error).toMatchObject({ expected: toHex(bytes(65)), message: expect.stringMatching(/got a different one$/) });
  });

  const foreign = { ...blake3, algorithm: "blake3", digestLength: 32, blockLength: 64, create: () => blake3.create() };
  it.each([
    ["a key", () => new VerifyStream(blake3, wrong, { key: bytes(32) })],
    ["a context", () => new VerifyStream(blake3, wrong, { context: "purpose" })],
    ["a salt", () => new VerifyStream(blake2b, bytes(64), { salt: bytes(16) })],
    ["an inherited key", () => new VerifyStream(blake3, wrong, Object.create({ key: bytes(32) }) as object)],
    ["another's algorithm", () => new VerifyStream(foreign as unknown as Algorithm, wrong)],
  ])("under %s fails with an error that reveals no digest", async (_, make) => {
    const error = await failure(make());
    expect(String(error)).toBe(
      "IntegrityError: VerifyStream: the digest of the message must be the expected one, got a different one",
    );
    expect(Object.keys(error as object)).toEqual([]);
  });

  it("has an error with the name of its class, as the language's own have", () => {
    const own = Object.getOwnPropertyDescriptor(TypeError.prototype, "name");
    const name = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(IntegrityError.prototype), "name");
    expect(name).toEqual({ ...own, value: "IntegrityError" });
  });
});

describe("the expected digest", () => {
  const hex = Buffer.from(right).toString("hex");
  const base64 = Buffer.from(right).toString("base64");
  const base64url = Buffer.from(right).toString("base64url");
  const must =
    'VerifyStream: expected must be 64 hexadecimal digits, alone or before two spaces and a name, or 43 of base64, after "blake3-" or without it';
  it.each([
    ["hex", hex],
    ["upper-case hex", hex.toUpperCase()],
    ["hex and a newline", `${hex}\n`],
    ["hex between white space", `\ufeff\t ${hex.toUpperCase()} \r\n`],
    ["a line of b3sum", `${hex}  a name\n`],
    ["a line of b3sum, in binary mode, with an escaped name", `\\${hex.toUpperCase()} *a\\nb\r\n`],
    ["a line of blakesum --tag", `BLAKE3 (a (name)) = ${hex}\n`],
    ["a line of blakesum --tag with the length in bits", `\\blake3-256 (a\\nb) = ${hex.toUpperCase()}`],
    ["base64", base64],
    ["base64url, without padding", base64url],
    ["an integrity in base64url", `blake3-${base64url}`],
    ["base64 and a newline", `${base64}\n`],
    ["an integrity between white space", ` blake3-${base64} `],
    ["a Buffer", Buffer.from(right)],
    ["an ArrayBuffer", Uint8Array.from(right).buffer],
    ["a DataView", new DataView(Uint8Array.from([9, ...right]).buffer, 1)],
    ["a subarray", Uint8Array.from([9, ...right, 9]).subarray(1, 33)],
  ])("may be %s", async (_, expected) => {
    expect((await verify([message], expected)).error).toBe(undefined);
  });

  it("may have the digits in which the alphabets of base64 differ", async () => {
    const odd = "i?>".repeat(400);
    const digest = createHash("blake2b512").update(odd).digest();
    for (const encoding of ["base64", "base64url"] as const) {
      const stream = new VerifyStream(blake2b, digest.toString(encoding));
      expect((await drain(new Blob([odd]).stream().pipeThrough(stream))).error).toBe(undefined);
    }
  });

  it("may change afterwards", async () => {
    const expected = Uint8Array.from(right);
    const stream = new VerifyStream(blake3, expected);
    expected.fill(0);
    expect((await drain(streamOf([message]).pipeThrough(stream))).error).toBe(undefined);
  });

  it.each([
    [new Uint8Array(0), RangeError, "VerifyStream: expected must have 32 bytes, got 0"],
    [new Uint8Array(31), RangeError, "VerifyStream: expected must have 32 bytes, got 31"],
    [new Uint8Array(33), RangeError, "VerifyStream: expected must have 32 bytes, got 33"],
    ["", RangeError, `${must}, got a string of length 0`],
    [hex.slice(1), RangeError, `${must}, got a string of length 63`],
    [`${hex}00`, RangeError, `${must}, got a string of length 66`],
    [`${hex.slice(1)}g`, RangeError, `${must}, got a string of length 64`],
    [`${hex.slice(1)}\n`, RangeError, "got a string of length 64"],
    [`${hex}  a\n${hex}  b\n`, RangeError, "got text with other characters"],
    [`${hex} ${hex}`, RangeError, "got text with other characters"],
    [`${hex} -`, RangeError, "got text with other characters"],
    [`${hex.slice(1)}  name`, RangeError, "got text with other characters"],
    [`BLAKE2b (name) = ${hex}`, RangeError, "got text with other characters"],
    [`BLAKE3-128 (name) = ${hex}`, RangeError, "got text with other characters"],
    [`BLAKE3 (name) = ${hex.slice(1)}`, RangeError, "got text with other characters"],
    [`(name) = ${hex}`, RangeError, "got text with other characters"],
    [`0x${hex}`, RangeError, "got a string of length 66"],
    [`blake2s-${base64}`, RangeError, must],
    [Buffer.from(right.subarray(1)).toString("base64"), RangeError, must],
    [base64.replace(/.$/, "!"), RangeError, must],
    [base64.replace(/.=$/, "9="), RangeError, must],
    ["blake3-", RangeError, must],
    [`${base64}  name`, RangeError, "got text with other characters"],
  ])("is refused: %o", (expected, kind, text) => {
    const make = () => new VerifyStream(blake3, expected);
    expect(make).toThrow(kind);
    expect(make).toThrow(text);
  });

  it.each(["A", "0", " ", "\n", "-", `${hex}  `, "a "])("of megabytes is refused in a moment: of %o", async (piece) => {
    const text = piece.repeat(5_000_000);
    await expectQuick(20, () => expect(() => new VerifyStream(blake3, text)).toThrow(RangeError));
  });

  it.each([undefined, null, 5, {}, [1, 2]])("must be bytes or text, not %o", (expected) => {
    const make = () => new VerifyStream(blake3, expected as unknown as string);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(/^VerifyStream: expected must be a string, an ArrayBuffer/);
  });

  it("follows the length option, and is never of no bytes", () => {
    expect(() => new VerifyStream(blake3, right, { length: 33 })).toThrow("expected must have 33 bytes, got 32");
    expect(() => new VerifyStream(blake3, new Uint8Array(0), { length: 0 })).toThrow(
      new RangeError("VerifyStream: length must be at least 1 to verify, got 0"),
    );
  });
});
