// blake-simd/node against node:crypto: the same calls on both, with the same results.
import { createHash as createNodeHash, createHmac as createNodeHmac, getHashes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { Duplex, Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { blake2b } from "blake-simd";
import { createHash, createHmac, type HashOptions } from "blake-simd/node";
import { describe, expect, it } from "vitest";
import { bytes, cut, ENCODINGS, forbidUnhandledRejections, nobleDigest, pairs, rejection } from "../support/streams.ts";

forbidUnhandledRejections();

/** What both packages' hashes have, as loosely typed as JavaScript's callers are. */
interface AnyHash extends Transform {
  // biome-ignore lint/suspicious/noExplicitAny: wrong arguments are part of the comparison
  update(data: any, encoding?: any): this;
  // biome-ignore lint/suspicious/noExplicitAny: wrong arguments are part of the comparison
  digest(encoding?: any): any;
  copy(options?: object): AnyHash;
}
type Create = (name: string, options?: object) => AnyHash;

const ours = createHash as unknown as Create;
const theirs = createNodeHash as unknown as Create;

/** What an action gives or throws, in a form to compare. */
async function outcome(act: () => unknown): Promise<unknown> {
  try {
    const result = await act();
    if (result instanceof Transform) return "a hash";
    return Buffer.isBuffer(result) ? { buffer: result.toString("hex") } : result;
  } catch (error) {
    const { name, code } = error as NodeJS.ErrnoException;
    return { name, code };
  }
}

function stamped<T extends Transform>(stream: T): Promise<unknown> {
  return new Promise((resolve) => {
    stream.on("data", resolve).on("error", resolve);
  });
}

const NO_ENCODINGS = [undefined, null, "", "buffer", "nonsense", 5, {}, true];

/** Everything here goes to both packages. */
const actions: Record<string, (create: Create, name: string) => unknown> = {
  "an empty message": (create, name) => create(name).digest("hex"),
  "a chain of updates": (create, name) => create(name).update("a").update(Buffer.from("bc")).digest("hex"),
  "an upper-case name": (create, name) => create(name.toUpperCase()).digest("hex"),
  "the name with a dash": (create, name) => create(name.replace(/(b|s)(\d\d\d)/, "$1-$2")).digest("hex"),
  "null for options": (create, name) => create(name, null as unknown as object).digest("hex"),
  "the right outputLength": (create, name) =>
    create(name, { outputLength: name.endsWith("512") ? 64 : 32 }).digest("hex"),
  "a copy": (create, name) => {
    const hash = create(name).update("a");
    const copy = hash.copy();
    return [hash.update("b").digest("hex"), copy.update("c").copy().digest("hex"), copy.digest("hex")];
  },
  "a copy with an encoding": (create, name) => stamped(create(name).update("a").copy({ encoding: "hex" }).end("b")),
  "a digest that is changed before the end": (create, name) => {
    const hash = create(name).update("abc");
    hash.digest().fill(0);
    return hash.end().read();
  },
  "a chunk that is changed before the digest": (create, name) => {
    const hash = create(name).end("abc");
    hash.read().fill(0);
    return hash.digest();
  },
  "updates with views": (create, name) =>
    create(name)
      .update(new Uint16Array([1, 2, 3]).subarray(1))
      .update(new DataView(new ArrayBuffer(9), 2))
      .update(new Float64Array(2))
      .digest("hex"),
  "updates with views, which have no encoding": (create, name) =>
    ["hex", "latin1", "utf16le"].flatMap((encoding) =>
      [bytes(5), new Uint16Array([0x1234, 0xff, 3]), new DataView(bytes(7).buffer)].map((view) =>
        create(name).update(view, encoding).digest("hex"),
      ),
    ),
  "half characters": (create, name) => create(name).update("\ud83d").update("\udc1a").digest("hex"),
  ...Object.fromEntries(
    [...ENCODINGS, ...NO_ENCODINGS].flatMap((encoding) => [
      [
        `update(text, ${String(encoding)})`,
        (create: Create, name: string) => create(name).update("ab12é9", encoding).digest("hex"),
      ],
      [`digest(${String(encoding)})`, (create: Create, name: string) => create(name).update("abc").digest(encoding)],
    ]),
  ),
  "an encoding that becomes text": (create, name) => create(name).digest({ toString: () => "hex" }),
  "an encoding that throws": async (create, name) => {
    const hash = create(name).update("abc");
    return [await outcome(() => hash.digest({ toString: () => JSON.parse("no") })), hash.digest("hex")];
  },
  "a write of no bytes": (create, name) => {
    const hash = create(name);
    hash.write("");
    return hash.end().read();
  },
  "chunks of a source": async (create, name) => {
    const hash = create(name);
    for await (const chunk of Readable.from(cut(bytes(200_000), 3000))) hash.update(chunk);
    return hash.digest("hex");
  },
  "odd hex": (create, name) => create(name).update("abc", "hex"),
  "bad hex": (create, name) => create(name).update("abzz12", "hex").digest("hex"),
  ...Object.fromEntries(
    [
      undefined,
      null,
      5,
      5n,
      true,
      {},
      [],
      new ArrayBuffer(4),
      new SharedArrayBuffer(4),
      new String("x"),
      new Date(0),
    ].map((data) => [
      `update(${Object.prototype.toString.call(data)})`,
      (create: Create, name: string) => create(name).update(data),
    ]),
  ),
  "digest after digest": (create, name) => twice(create(name), (hash) => hash.digest()),
  "update after digest": (create, name) => twice(create(name), (hash) => hash.update("a")),
  "a wrong update after digest": (create, name) => twice(create(name), (hash) => hash.update(5)),
  "copy after digest": (create, name) => twice(create(name), (hash) => hash.copy()),
  "no name": (create) => create(undefined as unknown as string),
  "a number for a name": (create) => create(5 as unknown as string),
  "an outputLength of text": (create, name) => create(name, { outputLength: "64" }),
  "an outputLength of null": (create, name) => create(name, { outputLength: null }),
  "a negative outputLength": (create, name) => create(name, { outputLength: -1 }),
  "a broken outputLength": (create, name) => create(name, { outputLength: 1.5 }),
  "a huge outputLength": (create, name) => create(name, { outputLength: 2 ** 32 }),
  "write and read": (create, name) => {
    const hash = create(name);
    hash.write("ab");
    hash.end(Buffer.from("c"));
    return hash.read();
  },
  "update, then write": (create, name) => create(name).update("a").end("b").read(),
  "write with an encoding": (create, name) => create(name).end("6162", "hex").read(),
  "end without a chunk": (create, name) => create(name).end().read(),
  setEncoding: (create, name) => create(name).setEncoding("hex").end("abc").read(),
  "the option encoding": (create, name) => create(name, { encoding: "base64" }).end("abc").read(),
  "the option defaultEncoding": (create, name) => create(name, { defaultEncoding: "hex" }).end("6162").read(),
  "defaultEncoding and update": (create, name) => create(name, { defaultEncoding: "hex" }).update("6162").digest("hex"),
  "end, then digest, then read": (create, name) => {
    const hash = create(name).end("abc");
    return [hash.digest("hex"), hash.read().toString("hex")];
  },
  "end, then read, then digest": (create, name) => {
    const hash = create(name).end("abc");
    return [hash.read().toString("hex"), hash.digest("hex")];
  },
  "end, then digest twice": (create, name) => twice(create(name).end("abc"), (hash) => hash.digest()),
  "digest, then end": (create, name) => {
    const hash = create(name).update("abc");
    return [hash.digest("hex"), hash.end().read().toString("hex")];
  },
  "write of a number": (create, name) => create(name).write(5),
  "calls that throw": async (create, name) => {
    const hash = create(name).update("abc");
    return [await outcome(() => hash.update(5)), await outcome(() => hash.update("abc", "hex")), hash.digest("hex")];
  },
  data: (create, name) => stamped(create(name).end("abc")),
  "a pipeline into it": async (create, name) => {
    const hash = create(name);
    await pipeline(Readable.from(cut(bytes(200_000), 3000)), hash);
    return [hash.destroyed, hash.digest("hex"), hash.read().toString("hex")];
  },
  "a pipeline through it": async (create, name) => {
    const chunks: Buffer[] = [];
    const sink = new Writable({ write: (chunk, _, done) => done(void chunks.push(chunk)) });
    await pipeline(Readable.from(cut(bytes(200_000), 3000)), create(name).setEncoding("hex"), sink);
    return Buffer.concat(chunks).toString();
  },
  "async iteration": async (create, name) => {
    const chunks = [];
    for await (const chunk of create(name).end("abc")) chunks.push(chunk.toString("hex"));
    return chunks;
  },
  "the callback of map": (create, name) =>
    [name, name].map(create as never).map((hash) => (hash as AnyHash).digest("hex")),
  "a number for options": (create, name) => create(name, 5 as never).digest("hex"),
  "the callback of forEach": (create, name) => {
    const hash = create(name);
    cut(bytes(9000), 32).forEach(hash.update, hash);
    return hash.digest("hex");
  },
  "a digest with a number, and another argument": (create, name) =>
    (create(name).digest as (...given: unknown[]) => unknown).call(create(name), "hex", 5),
  "options of streams": (create, name) => {
    const options = { objectMode: true, readableObjectMode: true, writableObjectMode: true, decodeStrings: false };
    return [create(name, options).update("a").copy(options).digest("hex"), create(name, options).end("abc").read()];
  },
  "destroy, then digest": async (create, name) => (await destroyed(create(name))).digest("hex"),
  "destroy, then update, copy and digest": async (create, name) =>
    (await destroyed(create(name))).update("c").copy().digest("hex"),
  "destroy, then write": async (create, name) => {
    const hash = await destroyed(create(name));
    return new Promise((resolve) => hash.write("c", resolve));
  },
  "a failed pipeline, then digest": async (create, name) => {
    const hash = create(name);
    const failing = async function* () {
      yield "abc";
      throw new Error("enough");
    };
    await rejection(pipeline(failing, hash));
    return [hash.destroyed, hash.digest("hex")];
  },
  "a listener before it is a stream": async (create, name) => {
    const hash = create(name);
    const events: string[] = [];
    for (const event of ["finish", "end", "close"]) hash.prependListener(event, () => events.push(event));
    hash.setMaxListeners(20).resume().end("abc");
    await once(hash, "close");
    return [...events, hash.getMaxListeners(), hash.listenerCount("finish"), hash.digest("hex")];
  },
  "a wrong highWaterMark": (create, name) => create(name, { highWaterMark: -1 }).update("a").digest("hex"),
  ...Object.fromEntries(
    ["highWaterMark", "readableHighWaterMark", "writableHighWaterMark"].map((option) => [
      `a wrong ${option} of a stream, twice`,
      async (create: Create, name: string) => {
        const hash = create(name, { [option]: -1 });
        return [await outcome(() => hash.write("a")), await outcome(() => hash.end()), hash.digest("hex")];
      },
    ]),
  ),
  "a signal": async (create, name) => {
    const hash = create(name, { signal: AbortSignal.abort() });
    return ((await stamped(hash)) as Error).name;
  },
};

/** A hash whose stream is destroyed before its end. */
async function destroyed(hash: AnyHash): Promise<AnyHash> {
  hash.update("a").write("b");
  hash.destroy();
  await once(hash, "close");
  return hash;
}

function twice(hash: AnyHash, act: (hash: AnyHash) => unknown): unknown {
  hash.digest();
  return act(hash);
}

const shared = ["blake2b512", "blake2s256"].filter((name) => getHashes().includes(name));

it("has both of OpenSSL's to compare with", () => {
  expect(shared).toEqual(["blake2b512", "blake2s256"]);
});

describe.each(shared)("%s is as in node:crypto:", (name) => {
  it.each(Object.entries(actions))("%s", async (_, act) => {
    expect(await outcome(() => act(ours, name))).toEqual(await outcome(() => act(theirs, name)));
  });
});

const withKey = (create: unknown): Create => {
  const createHmac = create as (name: string, key: unknown, options?: object) => AnyHash;
  return (name, options) => createHmac(name, "key", options);
};

/** Those that copy, have an outputLength, or take the digest twice, which Node's versions differ in. */
const NOT_FOR_HMACS =
  /copy|outputLength|options of streams|changed before|a pipeline into|a listener before|^(end|digest), then (end|(digest|read), then)/;

describe.each(shared)("an HMAC of %s is as in node:crypto:", (name) => {
  it.each(Object.entries(actions).filter(([action]) => !NOT_FOR_HMACS.test(action)))("%s", async (_, act) => {
    const [own, nodes] = [createHmac, createNodeHmac].map(withKey) as [Create, Create];
    expect(await outcome(() => act(own, name))).toEqual(await outcome(() => act(nodes, name)));
  });
});

/** Members that streams and emitters have, apart from those that begin something. */
const members = [Transform, Duplex, Readable, Writable, EventEmitter].flatMap(({ prototype }) =>
  Object.entries(Object.getOwnPropertyDescriptors(prototype))
    .filter(([, { get }]) => get)
    .map(([member]) => member),
);

describe("a hash that is not used as a stream", () => {
  it("is none", () => {
    const hash = createHash("blake3");
    hash.update("a").copy().digest("hex");
    expect(hash.digest("hex")).toBe(Buffer.from(nobleDigest("a")).toString("hex"));
    expect(Object.keys(hash)).toEqual([]);
    expect(hash.writable).toBe(true);
    expect(Object.keys(hash)).toContain("_writableState");
  });

  it.each([...new Set(members)])("becomes one when its %s is read", (member) => {
    const read = (create: Create) => (create("blake2b512") as unknown as Record<string, unknown>)[member];
    const [own, nodes] = [read(ours), read(theirs)];
    if (typeof nodes !== "object") expect(own).toBe(nodes);
    expect(Object.prototype.toString.call(own)).toBe(Object.prototype.toString.call(nodes));
  });
});

describe("createHash", () => {
  it.each(pairs)("$name, with and without options", ({ name, oracle }) => {
    expect(createHash(name).update(bytes(3000)).digest("hex")).toBe(Buffer.from(oracle(bytes(3000))).toString("hex"));
    const options = { key: bytes(32), length: 17 };
    const keyed = Buffer.from(oracle(bytes(3000), options)).toString("base64");
    expect(createHash(name, options).update(bytes(3000)).digest("base64")).toBe(keyed);
    const { length, ...rest } = options;
    const named = createHash(name.toUpperCase(), { ...rest, outputLength: length });
    expect(named.update(bytes(3000)).copy({ outputLength: 17 }).digest("base64")).toBe(keyed);
  });

  it("reads options that an object inherits", () => {
    const wanted = Buffer.from(blake2b("abc", { length: 17, key: bytes(32) }));
    const keyed = { key: bytes(32), highWaterMark: 5 };
    expect(
      createHash("blake2b", Object.create({ ...keyed, length: 17 }))
        .update("abc")
        .digest(),
    ).toEqual(wanted);
    const hash = createHash("blake2b", Object.create({ ...keyed, outputLength: 17 }));
    expect(hash.update("abc").digest()).toEqual(wanted);
    expect(hash.readableHighWaterMark).toBe(5);
  });

  it("makes a Transform whose digest is a separate Buffer", () => {
    const hash = createHash("blake3").update("abc");
    expect(hash).toBeInstanceOf(Transform);
    const digest = hash.digest();
    expect(Buffer.isBuffer(digest)).toBe(true);
    expect(digest.equals(nobleDigest("abc"))).toBe(true);
  });

  const wrong: [string, HashOptions, new () => Error, string, string?][] = [
    ["blake2b512", { outputLength: 32 }, RangeError, "outputLength must be 64, got number 32", "ERR_OUT_OF_RANGE"],
    ...[-1, 1.5, 2 ** 32, Number.NaN, Number.POSITIVE_INFINITY].map((outputLength): (typeof wrong)[number] => [
      "blake3",
      { outputLength },
      RangeError,
      `blake3: outputLength must be an integer from 0 to 4294967295, got ${outputLength}`,
      "ERR_OUT_OF_RANGE",
    ]),
    ["blake2s256", { length: 31 }, RangeError, "length must be 32, got number 31", "ERR_OUT_OF_RANGE"],
    ["blake2b", { outputLength: 65 }, RangeError, "blake2b.create: length must be an integer from 1 to 64, got 65"],
    ["blake3", { length: 5, outputLength: 5 }, TypeError, "pass either length or outputLength, not both"],
    ["blake3", { nope: 1 } as HashOptions, TypeError, 'unknown option "nope"; allowed are length, key, context'],
    // Those of streams that change nothing are not named.
    ["blake3", { nope: 1 } as HashOptions, TypeError, ", allowHalfOpen, signal, outputLength"],
    ["blake3", "key" as never, TypeError, "options must be an object, got a string", "ERR_INVALID_ARG_TYPE"],
    ["blake3", [] as never, TypeError, "options must be an object, got an array", "ERR_INVALID_ARG_TYPE"],
    ["blake3", new Map([["length", 5]]) as never, TypeError, "a plain object, got an object (Map)"],
    ["SHA256", {}, TypeError, 'got "sha256", which createHash of node:crypto has', "ERR_CRYPTO_INVALID_DIGEST"],
    ["BLAKE2b-256", {}, TypeError, 'got "blake2b-256": use createHash("blake2b", { length: 32 })'],
    ["blake2sp128", {}, TypeError, 'got "blake2sp128": use createHash("blake2sp", { length: 16 })'],
    ["blake2b-20", {}, TypeError, 'got "blake2b-20"'],
    ["blakeismypassword", {}, TypeError, "got a string of length 17"],
    // It may be a password, if arguments were swapped.
    ["blake2b is my password", {}, TypeError, "got a string of length 22"],
    ["nope", {}, TypeError, "createHash: name must be one of blake224, ", "ERR_CRYPTO_INVALID_DIGEST"],
    ["constructor", {}, TypeError, "got a string of length 11", "ERR_CRYPTO_INVALID_DIGEST"],
    ["", {}, TypeError, "got a string of length 0", "ERR_CRYPTO_INVALID_DIGEST"],
    // In lower case, the Kelvin sign is a k.
    ["bla\u212ae3", {}, TypeError, "got a string of length 6", "ERR_CRYPTO_INVALID_DIGEST"],
    ["blake3", { encoding: "nonsense" as "hex" }, TypeError, "encoding must be one of Node's", "ERR_UNKNOWN_ENCODING"],
  ];
  it.each(wrong)("refuses %s with %o", (name, options, kind, text, code) => {
    const act = () => createHash(name, options);
    expect(act).toThrow(kind);
    expect(act).toThrow(text);
    expect(act).toThrow(expect.objectContaining(code === undefined ? {} : { code }));
  });

  it.each([
    ["blake2b-512", 64],
    ["blake2b512", 64],
    ["blake2s-256", 32],
    ["blake2s256", 32],
    ["blake3", 0],
  ])("takes %s with the length %i", (name, length) => {
    for (const option of ["length", "outputLength"]) {
      expect(createHash(name, { [option]: length }).digest()).toHaveLength(length);
    }
  });

  it.each(["before", "after"])("is destroyed by a signal that is aborted %s its creation", async (when) => {
    const controller = new AbortController();
    const abort = () => controller.abort();
    if (when === "before") abort();
    const hash = createHash("blake3", { signal: controller.signal });
    const error = new Promise((resolve) => hash.once("error", resolve));
    if (when === "after") abort();
    expect(await error).toMatchObject({ name: "AbortError" });
    expect(hash.destroyed).toBe(true);
  });

  it("gives no advice on what is no length", () => {
    const text = /^blake2s256: length must be 32, got a string of length 2$/;
    expect(() => createHash("blake2s256", { length: "31" as never })).toThrow(text);
  });

  it("refuses options of a copy that would not hold", () => {
    const hash = createHash("blake3").update("abc");
    expect(() => hash.copy({ outputLength: 5 })).toThrow("blake3: outputLength must be 32, got number 5");
    expect(() => hash.copy({ key: bytes(32) } as object)).toThrow(
      'blake3.copy: unknown option "key"; allowed are highWaterMark, ',
    );
    expect(hash.digest().equals(nobleDigest("abc"))).toBe(true);
  });

  it("is finished at the stream's end", async () => {
    const hash = createHash("blake3");
    await pipeline(Readable.from(["abc"]), hash);
    for (const act of [() => hash.update("d"), () => hash.copy()]) {
      expect(act).toThrow(expect.objectContaining({ code: "ERR_CRYPTO_HASH_FINALIZED" }));
    }
    expect(hash.digest().equals(nobleDigest("abc"))).toBe(true);
  });

  it("fails a write after digest", async () => {
    const hash = createHash("blake3");
    hash.digest();
    const error = stamped(hash);
    hash.write("abc");
    expect(await error).toMatchObject({ code: "ERR_CRYPTO_HASH_FINALIZED" });
  });

  it("with a key is wiped if its pipeline fails", async () => {
    const reason = new Error("enough");
    const hash = createHash("blake3", { key: bytes(32) }).update("abc");
    const source = new Readable({ read: () => {}, destroy: (_, done) => done(reason) });
    setTimeout(() => source.destroy(), 1);
    expect(await rejection(pipeline(source, hash))).toBe(reason);
    expect(hash.destroyed).toBe(true);
    for (const act of [() => hash.update("d"), () => hash.digest(), () => hash.copy()]) {
      expect(act).toThrow(expect.objectContaining({ code: "ERR_CRYPTO_HASH_FINALIZED" }));
    }
  });
});

describe("memory", () => {
  it("of a digest is its own", () => {
    for (const create of [ours, theirs]) {
      const digest = create("blake2b512").update("616263", "hex").digest() as Buffer;
      expect(digest.buffer.byteLength).toBe(64);
    }
  });

  it("that small Buffers share keeps nothing of decoded text", () => {
    const secret = "a secret of some letters, alone ";
    const { buffer } = Buffer.from("in the same memory");
    ours("blake3").update(btoa(secret), "base64").digest();
    expect(Buffer.from(buffer).includes(secret)).toBe(false);
  });
});
