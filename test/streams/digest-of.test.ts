// digestOf: every kind of source, options and progress.
import { Readable } from "node:stream";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { blake2b, blake3 } from "blake-simd";
import { type DigestOfOptions, digestOf, HashStream, type Source } from "blake-simd/streams";
import { describe, expect, it } from "vitest";
import {
  byteStream,
  bytes,
  cut,
  forbidUnhandledRejections,
  nobleDigest,
  pairs,
  rejection,
  streamOf,
} from "../support/streams.ts";

forbidUnhandledRejections();

const message = bytes(200_000);

async function* later<C>(chunks: Iterable<C>): AsyncGenerator<C> {
  for (const chunk of chunks) {
    await null;
    yield chunk;
  }
}

const post = (body: BodyInit | null) => new Request("http://host.test/", { method: "POST", body });

const without = <T extends object>(object: T, property: keyof T): T =>
  Object.defineProperty(object, property, { value: undefined });

/** A body of another kind than the engine's, whose size is not that of its bytes. */
const foreignBody = (members: object) =>
  ({ bodyUsed: false, arrayBuffer: async () => message.slice().buffer, ...members }) as unknown as Response;

const sources: Record<string, () => Source> = {
  "a stream from a HashStream": () => streamOf(cut(message, 7000)).pipeThrough(new HashStream(blake2b)),
  "a Request if the engine exposes no body": () =>
    ({ bodyUsed: false, arrayBuffer: async () => message.buffer }) as unknown as Request,
  // node-fetch's has a limit as its size, 0 by default.
  "a Response of node-fetch": () =>
    foreignBody({ size: 0, status: 200, ok: true, body: Readable.from(cut(message, 7000)) }),
  "a Response of node-fetch 2, of bytes": () => foreignBody({ size: 0, status: 200, body: Buffer.from(message) }),
  "a Request of node-fetch 2, of a Blob": () => foreignBody({ size: 0, body: new Blob([message]) }),
  "a Request of node-fetch 2, of a buffer": () => foreignBody({ size: 0, body: message.slice().buffer }),
  "a range of an R2 object": () => foreignBody({ size: 1_000_000, body: streamOf(cut(message, 7000)) }),
  "a Set": () => new Set(cut(message, 7000)),
  "an array of promises": () => cut(message, 7000).map((chunk) => Promise.resolve(chunk)),
};

describe("sources", () => {
  it.each(Object.entries(sources))("reads %s", async (_, make) => {
    for (const { algorithm, oracle } of pairs) {
      expect(Buffer.from(await digestOf(algorithm, make()))).toEqual(Buffer.from(oracle(message)));
    }
  });

  it.each([
    ["an iterable of text", ["a\ud83d", "\udc1a"], "a🐚"],
    ["text cut in the first and the last pair", ["\ud800", "\udc00\udbff", "\udfff"], "\u{10000}\u{10ffff}"],
    ["text cut after the first and the last pair", ["\ud800\udc00", "\udbff\udfff", "a"], "\u{10000}\u{10ffff}a"],
    ["text cut between characters next to surrogates", ["\ud7ff", "\udc00a\ue000", "b"], "\ud7ff\udc00a\ue000b"],
    ["text cut inside a character, and no bytes between", ["\ud83d", new Uint8Array(0), "\ude00"], "\ud83d\ude00"],
    ["a Response of text", new Response("häsh"), "häsh"],
    ["a Response without a body", new Response(null, { status: 204 }), ""],
    ["a Request without a body", new Request("http://host.test/"), ""],
    ["a Request in an engine without Request.body", without(post("häsh"), "body"), "häsh"],
    ["an empty Blob", new Blob([]), ""],
    ["an empty array", [], ""],
    ["an iterator whose end has a promise", { [Symbol.iterator]: () => ({ next: endless }) }, ""],
    ["an empty buffer", new ArrayBuffer(0), ""],
    ["an empty stream", streamOf([]), ""],
    ["an empty Node stream", Readable.from([]), ""],
  ])("reads %s", async (_, source, text) => {
    expect(await digestOf(blake3, source)).toEqual(nobleDigest(text));
  });

  it.each([0, 1, 1025])("asks for nothing after the end, whose value is not hashed, of %i bytes", async (size) => {
    let ends = 0;
    const end = () => {
      ends++;
      return { done: true as const, value: bytes(size) };
    };
    const read = [() => ({ done: false as const, value: bytes(10) })];
    for (const steps of [[end], [...read, end], [...read, ...read, end]]) {
      const rest = [...steps];
      const source = { [Symbol.iterator]: () => ({ next: () => (rest.shift() ?? end)() }) } as Iterable<Uint8Array>;
      ends = 0;
      expect(await digestOf(blake3, source)).toEqual(nobleDigest(Buffer.concat(steps.slice(1).map(() => bytes(10)))));
      expect(ends).toBe(1);
    }
  });

  it.each<[string, unknown[], string]>([
    ["a detached chunk", [bytes(3), detach(bytes(3))], "got a detached or shrunk buffer"],
    ["a detached chunk at first", [detach(bytes(3)), bytes(3)], "got a detached or shrunk buffer"],
  ])("refuses %s", async (_, chunks, got) => {
    const source = streamOf(chunks as Uint8Array[]);
    const error = (await rejection(digestOf(blake3, source))) as Error;
    expect(error.message).toMatch(/^digestOf: chunk must be /);
    expect(error.message).toContain(got);
    expect(source.locked).toBe(false);
  });

  it("takes the algorithm's options", async () => {
    const options = { length: 20, key: bytes(9) };
    const { oracle } = pairs[0]!;
    expect(Buffer.from(await digestOf(blake2b, new Blob([message]), options))).toEqual(
      Buffer.from(oracle(message, options)),
    );
  });

  it.each([
    [undefined, "undefined"],
    [null, "null"],
    [5, "a number"],
    [{}, "an object (Object)"],
    [{ bodyUsed: false }, "an object (Object)"],
    [{ arrayBuffer: async () => message.buffer }, "an object (Object)"],
    [() => message, "a function"],
    [Promise.resolve(message), "an object (Promise)"],
    ["", "a string of length 0"],
    ["h.txt", "a string of length 5"],
    [new String("h.txt"), "an object (String)"],
  ])("refuses %o", async (source, got) => {
    const error = (await rejection(digestOf(blake3, source as unknown as Source))) as Error;
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/^digestOf: source must be bytes, a ReadableStream, a Blob/);
    expect(error.message).toContain(`got ${got}: blake3(text) hashes text, and hashFile of blake-simd/node a file`);
  });

  it.each<[string, () => Source | Promise<Source>, RegExp]>([
    ["a locked stream", () => lock(streamOf([bytes(5)])), /stream that is not locked, got a locked one/],
    ["a Response with a locked body", () => lockBody(new Response("x")), /not locked, got a locked one/],
    ["a Response that was used", async () => used(new Response("x")), /an unread body, got one that was used/],
    ["a Request that was used", async () => used(post("x")), /an unread body, got one that was used/],
    [
      "a Node stream that was used",
      async () => read(Readable.from([bytes(5)])),
      /an unread body, got one that was used/,
    ],
    ["a Response that hides its body", () => Response.error(), /can be read, got one of type error/],
    ["a detached view", () => detach(bytes(5)), /detached/],
  ])("refuses %s", async (_, make, text) => {
    const error = (await rejection(digestOf(blake3, await make()))) as Error;
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/^digestOf: (source|chunk) must be /);
    expect(error.message).toMatch(text);
  });
});

function lock(stream: ReadableStream): ReadableStream {
  stream.getReader();
  return stream;
}

function lockBody(response: Response): Response {
  lock(response.body!);
  return response;
}

/** The end of an iterator, with a promise that is never kept. */
const endless = () => ({ done: true as const, value: new Promise<never>(() => {}) });

async function used<B extends Body>(body: B): Promise<B> {
  await body.text();
  return body;
}

async function read(stream: Readable): Promise<Readable> {
  await stream.toArray();
  return stream;
}

function detach(view: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  structuredClone(view.buffer, { transfer: [view.buffer] });
  return view;
}

describe("options", () => {
  it.each([
    [{ signal: 5 }, TypeError, "digestOf: signal must be an AbortSignal, got a number"],
    [{ signal: null }, TypeError, "digestOf: signal must be an AbortSignal, got null"],
    [{ onProgress: {} }, TypeError, "digestOf: onProgress must be a function, got an object (Object)"],
    [
      { nope: 1 },
      TypeError,
      'blake3.create: unknown option "nope"; allowed are length, key, context, signal, onProgress, requireOk',
    ],
    [{ onprogress: () => {} }, TypeError, 'blake3.create: unknown option "onprogress"; did you mean "onProgress"?'],
    [{ length: -1 }, RangeError, "blake3.create: length must be an integer"],
    [5, TypeError, "blake3.create: options must be a plain object, got a number"],
    [null, TypeError, "blake3.create: options must be a plain object, got null"],
    [[], TypeError, "blake3.create: options must be a plain object, got an array"],
    [new Map([["length", 5]]), TypeError, "blake3.create: options must be a plain object, got an object (Map)"],
  ])("refuses %o and leaves the source alone", async (options, kind, text) => {
    const source = streamOf([bytes(5)]);
    const error = (await rejection(digestOf(blake3, source, options as unknown as DigestOfOptions))) as Error;
    expect(error).toBeInstanceOf(kind);
    expect(error.message).toContain(text);
    expect(source.locked).toBe(false);
    expect((await source.getReader().read()).value).toEqual(bytes(5));
  });

  it("are read as the algorithm reads them, inherited ones and getters too", async () => {
    const signal = new AbortController().signal;
    class Settings {
      readonly signal = signal;
      get length(): number {
        return 20;
      }
    }
    Object.defineProperty(Settings.prototype, "key", { value: bytes(9), enumerable: true });
    const settings = new Settings() as { length: number; key: Uint8Array; signal: AbortSignal };
    const wanted = blake2b(message, { length: 20, key: bytes(9) });
    expect(await digestOf(blake2b, message, settings)).toEqual(wanted);
    expect(await digestOf(blake2b, message, Object.create(settings))).toEqual(wanted);
  });

  it("refuses what is no algorithm", async () => {
    const error = (await rejection(digestOf("blake3" as unknown as typeof blake3, message))) as Error;
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/^digestOf: algorithm must be /);
  });
});

describe("a Response that is not ok", () => {
  const hello = new TextEncoder().encode("hello");
  const digest = nobleDigest("hello");
  const response = (status: number) => new Response("hello", { status });

  it("is refused, and its body left", async () => {
    const missing = response(404);
    const refused = digestOf(blake3, missing).catch((error) => error);
    expect(await refused).toBeInstanceOf(RangeError);
    expect((await refused).message).toMatch(
      /^digestOf: source must be .* from 200 to 299, got status 404: .*requireOk/,
    );
    expect(await missing.text()).toBe("hello");
    await expect(digestOf(blake3, response(500), { length: 32, requireOk: true })).rejects.toThrow("got status 500");
    await expect(digestOf(blake3, response(500), { requireOk: undefined })).rejects.toThrow("got status 500");
  });

  it("is hashed if requireOk is false, as is any that is ok", async () => {
    expect(await digestOf(blake3, response(404), { requireOk: false })).toEqual(digest);
    for (const status of [200, 206, 299]) expect(await digestOf(blake3, response(status))).toEqual(digest);
    const long = await digestOf(blake3, response(200), { requireOk: true, length: 40 });
    expect(long).toEqual(nobleBlake3(hello, { dkLen: 40 }));
  });

  it("needs a requireOk that is a boolean", async () => {
    const wrong = { requireOk: "no" } as unknown as { requireOk: boolean };
    await expect(digestOf(blake3, response(200), wrong)).rejects.toThrow("digestOf: requireOk must be a boolean, got");
  });
});

describe("progress", () => {
  async function progressOf(source: Source): Promise<[number, number | undefined][]> {
    const calls: [number, number | undefined][] = [];
    await digestOf(blake3, source, { onProgress: (...call) => calls.push(call) });
    return calls;
  }

  it("comes after each chunk", async () => {
    expect(await progressOf([bytes(3), "ü", bytes(100)])).toEqual([
      [3, undefined],
      [5, undefined],
      [105, undefined],
    ]);
  });

  it.each([
    ["an empty source", new Uint8Array()],
    ["a source of one chunk", bytes(3)],
    ["an array without chunks", []],
  ])("may abort at the end of %s", async (_, source) => {
    const reason = new Error("enough");
    const controller = new AbortController();
    const onProgress = () => controller.abort(reason);
    expect(await rejection(digestOf(blake3, source, { signal: controller.signal, onProgress }))).toBe(reason);
  });

  it("comes once for a source without a chunk", async () => {
    const empty = [
      [],
      later([]),
      Readable.from([]),
      streamOf([]),
      byteStream(new Uint8Array()),
      new Blob([]),
      new Response(""),
      new Response(null, { status: 204 }),
      new Request("http://host.test/"),
      post(""),
      without(post(""), "body"),
      new Uint8Array(),
      new ArrayBuffer(0),
    ];
    for (const source of empty) expect(await progressOf(source as Source)).toEqual([[0, 0]]);
    expect(await progressOf([""])).toEqual([[0, undefined]]);
  });

  it("knows the size of bytes, Blobs and bodies", async () => {
    expect(await progressOf(message)).toEqual([[200_000, 200_000]]);
    const ofBlob = await progressOf(new Blob(Array(20).fill(message)));
    expect(ofBlob.length).toBeGreaterThan(1);
    expect(ofBlob.at(-1)).toEqual([4_000_000, 4_000_000]);
    const sized = new Response(message, { headers: { "content-length": "200000" } });
    expect((await progressOf(sized)).at(-1)).toEqual([200_000, 200_000]);
    const headers = new Headers({ "content-length": "200000" });
    for (const body of [Buffer.from(message), new Blob([message]), Readable.from([message])])
      expect((await progressOf(foreignBody({ headers, body }))).at(-1)).toEqual([200_000, 200_000]);
    expect((await progressOf(foreignBody({ body: Buffer.from(message) }))).at(-1)).toEqual([200_000, 200_000]);
  });

  it("knows the size of a body that has no bytes", async () => {
    const empty = new Response(streamOf([bytes(0)]), { headers: { "content-length": "0" } });
    expect(await progressOf(empty)).toEqual([[0, 0]]);
  });

  it.each([
    ["none", {}],
    ["that of coded bytes", { "content-length": "200", "content-encoding": "gzip" }],
    ["no number", { "content-length": "many" }],
    ["an impossible one", { "content-length": "-5" }],
  ])("does not trust a length that is %s", async (_, headers) => {
    expect((await progressOf(new Response(message, { headers }))).at(-1)).toEqual([200_000, undefined]);
  });

  it("does not trust the length of a cross-origin response, whose coding is hidden", async () => {
    const response = new Response(message, { headers: { "content-length": "200000" } });
    Object.defineProperty(response, "type", { value: "cors" });
    expect((await progressOf(response)).at(-1)).toEqual([200_000, undefined]);
  });
});

const reason = new Error("enough");

it("a promise that rejects closes the iterable that gave it, whose own error is not seen", async () => {
  const hidden = new Error("hidden");
  const throws = () => {
    throw hidden;
  };
  for (const ending of [() => ({ done: true, value: 0 }), throws, () => Promise.reject(hidden)]) {
    let closed = 0;
    const values = [bytes(9), Promise.reject(reason), bytes(9)];
    const source = {
      [Symbol.iterator]: () => ({
        next: () => ({ done: values.length === 0, value: values.shift() as Uint8Array }),
        return() {
          closed++;
          return ending() as never;
        },
      }),
    };
    expect(await rejection(digestOf(blake3, source))).toBe(reason);
    expect([closed, values.length]).toEqual([1, 1]);
  }
});
