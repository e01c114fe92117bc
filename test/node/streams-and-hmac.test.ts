// What blake-simd/node has beside createHash and hashFile: the pass-through stream, createHmac, getHashes, and encodings.
import { createHash as createNodeHash, createHmac as createNodeHmac, createSecretKey } from "node:crypto";
import { PassThrough, Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { blake2b, blake3 } from "blake-simd";
import { createHash, createHmac, getHashes, hashThrough } from "blake-simd/node";
import { describe, expect, it } from "vitest";
import { expectError } from "../support/errors.ts";
import { pattern } from "../support/messages.ts";

const message = Buffer.from(pattern(300_000));
const pieces = () => Readable.from([message.subarray(0, 7), message.subarray(7, 70_000), message.subarray(70_000)]);

function sink() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, bytes: () => Buffer.concat(chunks) };
}

type Loose = (...args: unknown[]) => unknown;

describe("hashThrough", () => {
  it("passes the bytes on and gives their digest before the end, in a pipeline", async () => {
    const digests: Buffer[] = [];
    const target = sink();
    await pipeline(
      pieces(),
      hashThrough(blake3, (digest) => digests.push(digest)),
      new PassThrough(),
      target.stream,
    );
    expect(target.bytes().equals(message)).toBe(true);
    expect(digests.map((digest) => digest.toString("hex"))).toEqual([
      Buffer.from(nobleBlake3(message)).toString("hex"),
    ]);
  });

  it("takes the algorithm's options, text, and no bytes at all", async () => {
    const digests: string[] = [];
    const tell = (digest: Buffer) => digests.push(digest.toString("hex"));
    await pipeline(Readable.from(["é", "x"]), hashThrough(blake2b, tell), sink().stream);
    await pipeline(Readable.from([]), hashThrough(blake2b, tell, { length: 20 }), sink().stream);
    expect(digests[0]).toBe(createNodeHash("blake2b512").update("éx").digest("hex"));
    expect(digests[1]).toBe("3345524abf6bbe1809449224b5972c41790b6cf2");
  });

  it("fails for a chunk whose memory has gone elsewhere before it is hashed", async () => {
    const stream = hashThrough(blake3, () => expect.fail("a digest"));
    const chunk = new Uint8Array(8);
    stream.cork();
    stream.write(message.subarray(0, 9));
    stream.write(chunk);
    structuredClone(chunk.buffer, { transfer: [chunk.buffer] });
    stream.uncork();
    stream.resume();
    await expect(new Promise((_, fail) => stream.once("error", fail))).rejects.toThrow(
      /hashThrough: chunk must .*detached/,
    );
    expect(stream.destroyed).toBe(true);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("wrong digest");
      },
    ],
    ["rejects", () => Promise.reject(new Error("wrong digest"))],
  ])("fails the pipeline if onDigest %s", async (_, refuse) => {
    const target = sink();
    await expect(pipeline(pieces(), hashThrough(blake3, refuse), target.stream)).rejects.toThrow("wrong digest");
    expect(target.stream.writableFinished).toBe(false);
  });

  it("waits for onDigest's promise before the end", async () => {
    const order: string[] = [];
    const slow = () =>
      new Promise<void>((done) =>
        setTimeout(() => {
          order.push("digest");
          done();
        }, 20),
      );
    await pipeline(pieces(), hashThrough(blake3, slow), sink().stream);
    expect([...order, "end"]).toEqual(["digest", "end"]);
  });

  it("never gives a digest of a source that fails", async () => {
    const digests: Buffer[] = [];
    const broken = Readable.from(
      (function* () {
        yield message;
        throw new Error("cut off");
      })(),
    );
    await expect(
      pipeline(
        broken,
        hashThrough(blake3, (digest) => digests.push(digest)),
        sink().stream,
      ),
    ).rejects.toThrow("cut off");
    expect(digests).toEqual([]);
  });

  it("refuses what is no algorithm, function or option", () => {
    expectError(() => (hashThrough as Loose)("blake3", () => {}), TypeError, "hashThrough: algorithm must be");
    expectError(
      () => (hashThrough as Loose)(blake3),
      TypeError,
      "hashThrough: onDigest must be a function, got undefined",
    );
    expectError(
      () => (hashThrough as Loose)(blake3, () => {}, { salt: "" }),
      TypeError,
      "blake3.create: options may be",
    );
  });
});

describe("createHmac", () => {
  it.each(["blake2b512", "BLAKE2s256"])("gives what node:crypto's gives, for %s", (name) => {
    for (const key of ["", "key", message.subarray(0, 300), createSecretKey(message.subarray(0, 20))]) {
      const theirs = createNodeHmac(name, key).update("hello").update("68656c6c6f", "hex").digest("base64");
      expect(createHmac(name, key).update("hello").update("68656c6c6f", "hex").digest("base64")).toBe(theirs);
    }
  });

  it("is a stream", async () => {
    const mac = createHmac("blake2b512", "key");
    expect(mac).toBeInstanceOf(Transform);
    const [digest] = await pieces()
      .pipe(mac as Transform)
      .toArray();
    expect(digest).toEqual(createNodeHmac("blake2b512", "key").update(message).digest());
  });

  it("refuses wrong names, keys and options", () => {
    expectError(() => (createHmac as Loose)("sha256", ""), TypeError, "createHmac: name must be one of", '"sha256"');
    expectError(() => (createHmac as Loose)("blake3", 5), TypeError, "createHmac: key must be", "number 5");
    expectError(
      () => (createHmac as Loose)("blake3", "", { key: "" }),
      TypeError,
      "blake3: options of createHmac may be",
      "key",
    );
  });
});

describe("getHashes", () => {
  it("names what createHash knows, in a list of the caller's own", () => {
    getHashes().length = 0;
    const names = getHashes();
    expect(names).toContain("blake2xs");
    expect(names).toContain("blake2b512");
    for (const name of names) expect(createHash(name).digest().length).toBeGreaterThan(27);
  });
});

describe("digest", () => {
  it.each(["buffer", "binary", "latin1", "hex", "base64", "base64url", "ascii", "utf8", "ucs2", undefined])(
    "in %s is as node:crypto's",
    (encoding) => {
      const spell = encoding as "hex";
      const theirs = createNodeHash("blake2b512").update("hello").digest(spell);
      expect(createHash("blake2b512").update("hello").digest(spell)).toEqual(theirs);
    },
  );
});
