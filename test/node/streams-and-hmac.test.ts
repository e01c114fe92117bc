// What blake-simd/node has beside createHash and hashFile: the pass-through stream, createHmac, getHashes, and
// encodings.
import {
  createHash as createNodeHash,
  createHmac as createNodeHmac,
  createSecretKey,
  generateKeyPairSync,
} from "node:crypto";
import { PassThrough, Readable, type Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { type Algorithm, algorithms, blake2b, blake3 } from "blake-simd";
import { createHash, createHmac, getHashes, hashThrough } from "blake-simd/node";
import { describe, expect, it } from "vitest";
import { expectError } from "../support/errors.ts";
import { pattern } from "../support/messages.ts";
import { ENCODINGS } from "../support/streams.ts";

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

  it.each([undefined, null, false, 0, "", Number.NaN, 0n, "no", new Error("no")])(
    "fails if onDigest throws or rejects with %o, which Node may take for no error",
    async (reason) => {
      const throws = () => {
        throw reason;
      };
      for (const onDigest of [throws, () => Promise.reject(reason)]) {
        const failure = pipeline(pieces(), hashThrough(blake3, onDigest), sink().stream).then(
          () => "passed",
          (error) => error,
        );
        if (reason) expect(await failure).toBe(reason);
        else expect(await failure).toEqual(new Error("hashThrough: onDigest failed without a reason"));
      }
    },
  );

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
      "blake3.create: unknown option",
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

  it.each([...ENCODINGS, "buffer", "", null, undefined])(
    "reads a key of text in %s, as node:crypto does",
    (encoding) => {
      const options = { encoding: encoding as "hex" };
      for (const key of [
        "616263",
        "YWJj-_+/",
        "abc",
        "zz",
        "61é2\ud83d",
        "",
        "61".repeat(100),
        Buffer.from("616263"),
      ]) {
        const wanted = createNodeHmac("blake2s256", key, options).update("hello").digest("hex");
        expect(createHmac("blake2s256", key, options).update("hello").digest("hex"), String(key)).toBe(wanted);
      }
    },
  );

  it("takes the encoding for the stream, too", () => {
    const options = { encoding: "hex" } as const;
    const wanted = createNodeHmac("blake2s256", "616263", options).end("hello").read();
    expect(wanted).toMatch(/^[0-9a-f]{64}$/);
    expect(createHmac("blake2s256", "616263", options).end("hello").read()).toBe(wanted);
  });

  it.each(["nonsense", 5, {}, true])("refuses the encoding %o with node:crypto's code", (encoding) => {
    for (const create of [createNodeHmac, createHmac] as Loose[]) {
      const code = encoding === "nonsense" ? "ERR_UNKNOWN_ENCODING" : "ERR_INVALID_ARG_TYPE";
      expect(() => create("blake2s256", "key", { encoding })).toThrow(
        expect.objectContaining({ name: "TypeError", code }),
      );
    }
    expect(() => (createHmac as Loose)("blake3", "", { encoding })).toThrow(/^blake3: encoding must be/);
  });

  it("takes a CryptoKey, which may be one that cannot be exported", async () => {
    for (const extractable of [true, false]) {
      const algorithm = { name: "HMAC", hash: "SHA-256" };
      const key = await crypto.subtle.importKey("raw", Buffer.from("abc"), algorithm, extractable, ["sign"]);
      expect(createHmac("blake2s256", key).update("hello").digest()).toEqual(
        createNodeHmac("blake2s256", "abc").update("hello").digest(),
      );
    }
  });

  it("refuses what is no secret key with node:crypto's codes", async () => {
    const pair = generateKeyPairSync("ed25519");
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    const { publicKey } = await crypto.subtle.generateKey(algorithm, false, ["sign"]);
    const fake = { type: "secret", export: () => Buffer.from("abc") };
    const wrong = [undefined, null, 5, 5n, true, {}, [], new String("x"), () => {}, fake];
    for (const key of [...wrong, pair.publicKey, pair.privateKey, publicKey]) {
      const isKey = key === publicKey || Object.values(pair).includes(key as never);
      const code = isKey ? "ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE" : "ERR_INVALID_ARG_TYPE";
      for (const create of [createNodeHmac, createHmac] as Loose[]) {
        expect(() => create("blake2s256", key)).toThrow(expect.objectContaining({ name: "TypeError", code }));
      }
    }
    expectError(() => createHmac("blake3", pair.publicKey), TypeError, "key must be a secret one, got a public key");
  });

  it.each(["hex", "latin1", "buffer", undefined])("has an empty second digest in %s, as node:crypto's", (encoding) => {
    const [ours, theirs] = [createHmac, createNodeHmac].map((create) => {
      const mac = create("blake2s256", "key").update("hello") as Transform & { digest(encoding?: string): unknown };
      return [mac.digest(encoding), mac.digest(encoding), mac.digest(), mac.end().read()?.toString("hex")];
    }) as [unknown[], unknown[]];
    // node:crypto's own stream ends with the digest, or with nothing, by its version.
    expect(ours.slice(0, 3)).toEqual(theirs.slice(0, 3));
    expect(ours[1]).toHaveLength(0);
    expect(ours[3]).toBe(createNodeHmac("blake2s256", "key").update("hello").digest("hex"));
    expect(createHmac("blake3", "").constructor.name).toBe("Hmac");
  });

  it("refuses wrong names, keys and options", () => {
    expectError(
      () => (createHmac as Loose)("sha256", ""),
      TypeError,
      "createHmac: name must be one of",
      'got "sha256", which createHash of node:crypto has',
    );
    expectError(
      () => createHmac("bla\u212ae3", ""),
      TypeError,
      "createHmac: name must be one of",
      "a string of length 6",
    );
    expectError(
      () => (createHmac as Loose)("blake3", 5),
      TypeError,
      "createHmac: key must be",
      "CryptoKey",
      "a number",
    );
    expectError(() => (createHmac as Loose)("blake3", "", { key: "" }), TypeError, 'createHmac: unknown option "key"');
  });
});

describe("getHashes", () => {
  it("names what createHash knows, in a list of the caller's own", () => {
    getHashes().length = 0;
    const names = getHashes();
    expect(names).toContain("blake2b512");
    for (const [name, algorithm] of Object.entries(algorithms) as [string, Algorithm][]) {
      expect(names).toContain(name);
      expect(new Uint8Array(createHash(name).update("abc").digest())).toEqual(algorithm("abc"));
    }
  });
});
