// fetchVerified and its caller: arguments that are wrong, a `fetch` that resolves to anything, and signals that it
// ignores.
import { Readable } from "node:stream";
import { type FetchVerifiedOptions, fetchVerified, IntegrityError, outboard } from "blake-simd/bao";
import { Blake3Pool } from "blake-simd/parallel";
import { afterAll, describe, expect, it, vi } from "vitest";
import { content, flipped, serve } from "../support/bao.ts";
import { expectBytes } from "../support/messages.ts";

const message = content(1_000_001);
const tree = outboard(message);
const { root } = tree;
const range = { start: 100_000, end: 300_000 };
const wanted = message.subarray(range.start, range.end);
const remote = { url: "bao" };
const files = { content: message, bao: tree.toBytes() };

type Options = Partial<FetchVerifiedOptions>;

const get = (options: Options = {}) => fetchVerified("content", { root, outboard: tree, ...range, ...options });
const bytesOf = async (options?: Options) => new Uint8Array(await new Response(await get(options)).arrayBuffer());
const errorOf = (options?: Options) => bytesOf(options).catch((error) => error);
const forbidden = () => expect.fail("a request");

describe("wrong arguments are refused before anything is requested:", () => {
  it.each<[name: string, url: unknown, options: object, text: RegExp]>([
    ["no url", undefined, {}, /^url must be a string or a URL, got undefined$/],
    [
      "a request for a url",
      new Request("https://a.example"),
      {},
      /^url must be a string or a URL, got an object \(Req/,
    ],
    ["a short root", "a", { root: "ab" }, /^root must be 64 hexadecimal digits, got a string of length 2/],
    ["another root", "a", { root: outboard("x").root }, /^outboard has a different root/],
    ["a number for an outboard", "a", { outboard: 5 }, /^outboard must be an Outboard or \{ url, .* got a number/],
    [
      "an outboard without a url",
      "a",
      { outboard: { length: 5 } },
      /^outboard\.url must be a string or a URL, got undef/,
    ],
    [
      "an Outboard's bytes",
      "a",
      { outboard: files.bao },
      /^options must be a plain object, got an object \(Uint8Array/,
    ],
    [
      "no length for iroh's",
      "a",
      { outboard: { url: "a", format: "iroh" } },
      /^outboard\.length must be given with fo/,
    ],
    ["text for fetch", "a", { fetch: "x" }, /^fetch must be a function, got a string/],
    ["a number for an ETag", "a", { etag: 5 }, /^etag must be a string, got a number/],
    ["an unknown option", "a", { ends: 5 }, /^unknown option "ends"; allowed are root, outboard, /],
    ["a start before the content", "a", { outboard: remote, start: -1 }, /^start must be an integer from 0/],
    ["an end before the start", "a", { outboard: remote, start: 9, end: 8 }, /^end must be at least start/],
    ["a start after the end", "a", { start: 1_000_002, end: undefined }, /^start must be at most the content's length/],
  ])("%s", async (_, url, options, text) => {
    const asking = fetchVerified(url as string, { root, outboard: tree, fetch: forbidden, ...options });
    const error = await asking.catch((reason) => reason);
    expect(error.message).toMatch(/^fetchVerified: /);
    expect(error.message.slice("fetchVerified: ".length)).toMatch(text);
  });

  const pool = new Blake3Pool({ threads: 0 });
  afterAll(() => pool.close());

  it.each([null, {}, new AbortController(), new EventTarget(), "stop"])(
    "%s for a signal, by a pool, too",
    async (signal) => {
      const text = "signal must be an AbortSignal, got";
      await expect(get({ fetch: forbidden, signal: signal as never })).rejects.toThrow(`fetchVerified: ${text}`);
      await expect(pool.hash(new Uint8Array(1), { signal: signal as never })).rejects.toThrow(
        `Blake3Pool.hash: ${text}`,
      );
    },
  );
});

describe("what fetch resolves to", () => {
  const headers = new Headers({ "Content-Range": "bytes 98304-311295/1000001" });
  const answered = (value: unknown, own: Options["outboard"] = tree) =>
    errorOf({ outboard: own, fetch: async () => value as Response });

  it.each([
    undefined,
    null,
    "HTTP/1.1 206",
    message,
    {},
    { status: 206 },
    { status: 206, headers: {} },
    { status: "206", headers, body: null },
  ])("%o is refused", async (value) => {
    for (const own of [tree, remote]) {
      const error = await answered(value, own);
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(/^fetchVerified: what fetch resolves to must be a Response, got /);
    }
  });

  it("a body that is a stream of Node's is refused, and ended", async () => {
    const body = Readable.from([message]);
    const error = await answered({ status: 206, headers, body });
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/^fetchVerified: the body of what fetch resolves to must be a ReadableStream, got /);
    expect(body.destroyed).toBe(true);
  });

  it("an error that fetch throws is passed on, at once or later", async () => {
    const trouble = new Error("no network");
    for (const fetch of [
      () => Promise.reject(trouble),
      () => {
        throw trouble;
      },
    ])
      expect(await errorOf({ fetch })).toBe(trouble);
  });
});

describe("a signal that fetch ignores", () => {
  const reason = new Error("mine");
  const never = new Promise<never>(() => {});
  const idle = () => new Promise((resolve) => setTimeout(resolve, 1));
  /** Content that stops to come after some reads, by its `change` of each. */
  const stalling = (reads: number) => {
    const cancelled: unknown[] = [];
    let count = 0;
    const { fetch } = serve(files, (answer, { path, start, end }) => {
      if (path !== "content") return;
      let at = start;
      const pull = async (controller: ReadableStreamDefaultController) => {
        if (++count > reads) await never;
        controller.enqueue(message.slice(at, Math.min(at + 16_384, end)));
        at += 16_384;
        if (at >= end) controller.close();
      };
      answer.body = new ReadableStream({ pull, cancel: (why) => void cancelled.push(why) }, { highWaterMark: 0 });
    });
    return { fetch, cancelled };
  };

  it.each([
    ["between two reads", 1000],
    ["while a read waits", 3],
  ])("ends the stream and its source %s", async (_, reads) => {
    for (const own of [tree, remote]) {
      const { fetch, cancelled } = stalling(reads);
      const controller = new AbortController();
      const reader = (await get({ outboard: own, signal: controller.signal, fetch })).getReader();
      for (let i = 0; i < 3; i++) await reader.read();
      const waiting = reads === 3 ? reader.read() : undefined;
      waiting?.catch(() => {});
      await idle();
      controller.abort(reason);
      for (const ended of [waiting ?? reader.read(), reader.read(), reader.closed])
        await expect(ended).rejects.toBe(reason);
      expect(cancelled).toEqual([reason]);
    }
  });

  it("ends a request, and cancels a body that comes too late; and the reading of nodes, with their source", async () => {
    for (const own of [tree, remote]) {
      let answer: () => void = () => {};
      const late = serve(files, () => new Promise<void>((resolve) => (answer = resolve)));
      const nodes = serve({ ...files, bao: () => never as never }, (given, { path }) => {
        if (path === "bao") given.body = new ReadableStream({ cancel: (why) => void nodes.cancelled.push(why) });
      });
      for (const { fetch, cancelled } of own === tree ? [late] : [late, nodes]) {
        const controller = new AbortController();
        const outcome = get({ outboard: own, signal: controller.signal, fetch }).catch((error) => error);
        await idle();
        controller.abort(reason);
        expect(await outcome).toBe(reason);
        answer();
        await expect.poll(() => cancelled).toEqual([reason]);
      }
    }
  });

  it("has no listener left when the stream has ended, was cancelled or failed", async () => {
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    vi.spyOn(signal, "addEventListener").mockImplementation((_, listener) => void listeners.add(listener));
    vi.spyOn(signal, "removeEventListener").mockImplementation((_, listener) => void listeners.delete(listener));
    const { fetch } = serve(files);
    expectBytes(await bytesOf({ signal, fetch }), wanted);
    expectBytes(await bytesOf({ signal, fetch, outboard: remote }), wanted);
    await (await get({ signal, fetch })).cancel("enough");
    const wrong = { ...files, content: flipped(message, 150_000) };
    await expect(bytesOf({ signal, fetch: serve(wrong).fetch })).rejects.toThrow(IntegrityError);
    await expect.poll(() => listeners.size).toBe(0);
  });
});
