// fetchVerified and what callers pass to it: arguments that are wrong are errors before anything is requested, a `fetch` that
// resolves to anything is an error that says so, and a signal ends everything even if that `fetch` ignores it.
import { Readable } from "node:stream";
import { type FetchVerifiedOptions, fetchVerified, type Outboard, outboard } from "blake-simd/bao";
import { Blake3Pool } from "blake-simd/parallel";
import { afterAll, describe, expect, it, vi } from "vitest";
import { outboard as outboardOfAnotherCopy } from "../../js/bao/outboard-of.ts";
import { concat, content } from "../support/bao.ts";
import { expectBytes } from "../support/messages.ts";

const message = content(1_000_001);
const tree = outboard(message);
const { root } = tree;
const nodes = tree.toBytes("bao");
const remote = { url: "https://mirror.example/outboard" };

type Fetch = NonNullable<FetchVerifiedOptions["fetch"]>;

const rangeOf = (init: RequestInit) => {
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec((init.headers as { Range: string }).Range) as unknown as string[];
  return { start: Number(start), end: Number(end) + 1 };
};

const headersOf = ({ start, end }: { start: number; end: number }) => ({
  "Content-Range": `bytes ${start}-${end - 1}/*`,
});

/** What is wrong, with the error's words. */
const wrong: [name: string, url: unknown, options: object, text: RegExp][] = [
  ["no url", undefined, {}, /^url must be a string or a URL, got undefined$/],
  ["null for a url", null, {}, /^url must be a string or a URL, got null$/],
  ["a number for a url", 5, {}, /^url must be a string or a URL, got a number$/],
  [
    "a request for a url",
    new Request("https://a.example"),
    {},
    /^url must be a string or a URL, got an object \(Request\)$/,
  ],
  ["an outboard without a url", "a", { outboard: {} }, /^outboard\.url must be a string or a URL, got undefined$/],
  ["an outboard of a length alone", "a", { outboard: { length: 1_000_001 } }, /^outboard\.url must be/],
  ["null for an outboard's url", "a", { outboard: { url: null } }, /^outboard\.url must be/],
  ["an Outboard's bytes", "a", { outboard: nodes }, /^options must be a plain object, got an object \(Uint8Array\)$/],
  ["null for a signal", "a", { signal: null }, /^signal must be an AbortSignal, got null$/],
  ["an object for a signal", "a", { signal: {} }, /^signal must be an AbortSignal, got an object \(Object\)$/],
  ["a controller for a signal", "a", { signal: new AbortController() }, /^signal must be an AbortSignal, got/],
  ["another target of events for a signal", "a", { signal: new EventTarget() }, /^signal must be an AbortSignal, got/],
  ["text for a signal", "a", { signal: "stop" }, /^signal must be an AbortSignal, got a string/],
  ["a start before the content", "a", { outboard: remote, start: -1 }, /^start must be an integer from 0/],
  ["an end before the start", "a", { outboard: remote, start: 9, end: 8 }, /^end must be at least start/],
  ["a start after the end", "a", { start: 1_000_002 }, /^start must be at most the content's length/],
];

describe("wrong arguments, before anything is requested", () => {
  it.each(wrong)("%s", async (_, url, options, text) => {
    const fetch = vi.fn();
    const error = await fetchVerified(url as string, { root, outboard: tree, fetch, ...options }).catch((e) => e);
    expect(error.message).toMatch(/^fetchVerified: /);
    expect(error.message.slice("fetchVerified: ".length)).toMatch(text);
    expect(fetch).not.toHaveBeenCalled();
  });

  // There is one copy where js/ itself is tested (test/source.config.ts).
  it.skipIf(Object.is(outboardOfAnotherCopy, outboard))("an Outboard of another copy of the package", async () => {
    const other = outboardOfAnotherCopy(message) as unknown as Outboard;
    await expect(fetchVerified("a", { root, outboard: other, fetch: vi.fn() })).rejects.toThrow(
      /^fetchVerified: outboard must be an Outboard or \{ url, .* got one of another copy of the package: read its bytes$/,
    );
  });

  it("a URL is a URL", async () => {
    const fetch = vi.fn(async () => new Response(null, { status: 404 }));
    const url = new URL("https://mirror.example/");
    await expect(fetchVerified(url, { root, outboard: tree, fetch })).rejects.toThrow("must have status 206, got 404");
    expect(fetch.mock.calls).toEqual([[url, { headers: { Range: "bytes=0-1000000" } }]]);
  });

  const pool = new Blake3Pool({ threads: 0 });
  afterAll(() => pool.close());

  it.each(wrong.filter(([name]) => name.endsWith("signal")))("%s is none for a pool either", async (_, __, options) => {
    await expect(pool.hash(new Uint8Array(1), options)).rejects.toThrow(
      "Blake3Pool.hash: signal must be an AbortSignal",
    );
  });
});

describe("what fetch resolves to", () => {
  const answered = (value: unknown, options: Partial<FetchVerifiedOptions> = {}) =>
    fetchVerified("a", { root, outboard: tree, fetch: async () => value as Response, ...options }).catch((e) => e);
  const headers = new Headers({ "Content-Range": "bytes 0-1000000/1000001" });

  it.each<[name: string, value: unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["text", "HTTP/1.1 206"],
    ["bytes", message],
    ["an object", {}],
    ["a status alone", { status: 206 }],
    ["no headers with `get`", { status: 206, headers: { "content-range": "bytes 0-1000000/1000001" } }],
    ["a status in text", { status: "206", headers, body: null }],
  ])("%s is refused", async (_, value) => {
    for (const options of [{}, { outboard: remote }]) {
      const error = await answered(value, options);
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

  it("a body that somebody reads is refused", async () => {
    const response = new Response(message, { status: 206, headers });
    response.body?.getReader();
    const error = await answered(response);
    expect(error).toMatchObject({ name: "ResponseError", reason: "body", status: 206 });
    expect(error.message).toMatch(/must have an unread body, got a locked one$/);
  });

  const bodies: [name: string, body: object][] = [
    ["has no cancel", { getReader: () => expect.fail("read") }],
    ["is no stream and has no cancel", { locked: false, getReader: () => expect.fail("read"), cancel: 5 }],
    ["throws when it is cancelled", { getReader: () => {}, cancel: () => expect.fail("cancelled") }],
    ["rejects when it is cancelled", { getReader: () => {}, cancel: async () => expect.fail("cancelled") }],
    ["never ends being cancelled", { getReader: () => {}, cancel: () => new Promise(() => {}) }],
  ];

  it.each(bodies)("the reason is told if a body %s", async (_, body) => {
    for (const options of [{}, { outboard: remote }]) {
      expect(await answered({ status: 500, headers, body }, options)).toMatchObject({ reason: "status", status: 500 });
      const other = new Headers({ "Content-Range": "bytes 5-6/7" });
      expect(await answered({ status: 206, headers: other, body }, options)).toMatchObject({ reason: "content-range" });
    }
  });

  it("an error that fetch throws is passed on, at once or later", async () => {
    const trouble = new Error("no network");
    for (const fetch of [() => Promise.reject(trouble), () => expect.fail("no network")] as Fetch[]) {
      await expect(fetchVerified("a", { root, outboard: tree, fetch })).rejects.toThrow("no network");
    }
  });
});

describe("a signal that fetch ignores", () => {
  const reason = new Error("mine");

  /** A server that ignores signals, whose bodies wait after some chunks, and what became of them. */
  function server(pausesAfter: number, answers: (what: string) => boolean = () => true) {
    const cancelled: unknown[] = [];
    const fetch: Fetch = async (url, init) => {
      const range = rangeOf(init);
      if (!answers(String(url))) await new Promise(() => {});
      const source = String(url) === remote.url ? nodes : message;
      let chunks = 0;
      const pull = async (controller: ReadableStreamDefaultController) => {
        if (String(url) !== remote.url && ++chunks > pausesAfter) await new Promise(() => {});
        const end = Math.min(range.start + 16_384, range.end);
        controller.enqueue(source.slice(range.start, end));
        range.start = end;
        if (end === range.end) controller.close();
      };
      const cancel = (why: unknown) => void cancelled.push(why);
      const body = new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
      return new Response(body, { status: 206, headers: headersOf(range) });
    };
    return { fetch, cancelled };
  }

  it.each([
    ["between two reads", 1000, false],
    ["while a read waits", 3, true],
  ])("ends the stream and its source %s", async (_, pausesAfter, waits) => {
    for (const own of [tree, remote]) {
      const { fetch, cancelled } = server(pausesAfter);
      const controller = new AbortController();
      const stream = await fetchVerified("a", { root, outboard: own, signal: controller.signal, fetch });
      const reader = stream.getReader();
      const given: Uint8Array[] = [];
      for (let i = 0; i < 3; i++) given.push((await reader.read()).value!);
      const waiting = waits ? reader.read() : undefined;
      waiting?.catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 5));
      controller.abort(reason);
      await expect(waiting ?? reader.read()).rejects.toBe(reason);
      await expect(reader.read()).rejects.toBe(reason);
      await expect(reader.closed).rejects.toBe(reason);
      expect(cancelled).toEqual([reason]);
      const bytes = concat(given);
      expectBytes(bytes, message.subarray(0, bytes.length));
    }
  });

  it("ends a request, and cancels a body that comes too late", async () => {
    let answer: (response: Response) => void = () => {};
    const cancelled: unknown[] = [];
    const fetch = () => new Promise<Response>((resolve) => (answer = resolve));
    for (const own of [tree, remote]) {
      const controller = new AbortController();
      const outcome = fetchVerified("a", { root, outboard: own, signal: controller.signal, fetch });
      await new Promise((resolve) => setTimeout(resolve, 1));
      controller.abort(reason);
      await expect(outcome).rejects.toBe(reason);
      answer(new Response(new ReadableStream({ cancel: (why) => void cancelled.push(why) }), { status: 206 }));
    }
    await expect.poll(() => cancelled).toEqual([reason, reason]);
  });

  it("ends the reading of nodes, and their source", async () => {
    const cancelled: unknown[] = [];
    const fetch: Fetch = async (_, init) => {
      const body = new ReadableStream({ cancel: (why) => void cancelled.push(why) });
      return new Response(body, { status: 206, headers: headersOf(rangeOf(init)) });
    };
    const controller = new AbortController();
    const outcome = fetchVerified("a", { root, outboard: remote, signal: controller.signal, fetch });
    await new Promise((resolve) => setTimeout(resolve, 1));
    controller.abort(reason);
    await expect(outcome).rejects.toBe(reason);
    expect(cancelled).toEqual([reason]);
  });

  it("that cannot be listened to, either: it rejects, and the body is cancelled", async () => {
    const cancelled: unknown[] = [];
    const body = new ReadableStream({ cancel: (why) => void cancelled.push(why) });
    for (const answer of [new Response(body, { status: 206 }), Promise.reject(new Error("no network"))]) {
      const { signal } = new AbortController();
      signal.addEventListener = () => {
        throw reason;
      };
      const fetch = async () => answer;
      await expect(fetchVerified("a", { root, outboard: tree, signal, fetch })).rejects.toBe(reason);
    }
    await vi.waitFor(() => expect(cancelled.length).toBe(1));
  });

  it("has no listener left when the stream has ended, was cancelled or failed", async () => {
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (type: string, listener: never) => {
      listeners.add(listener);
      add(type, listener);
    };
    signal.removeEventListener = (type: string, listener: never) => {
      listeners.delete(listener);
      remove(type, listener);
    };
    const get = async (options = {}) => {
      const { fetch } = server(1000);
      return fetchVerified("a", { root, outboard: tree, signal, fetch, ...options });
    };
    expectBytes(new Uint8Array(await new Response(await get()).arrayBuffer()), message);
    await new Response(await get({ outboard: remote })).arrayBuffer();
    await (await get()).cancel("enough");
    const wrongTree = outboard(message.map((byte) => byte ^ 1));
    const failing = await get({ root: wrongTree.root, outboard: wrongTree });
    await expect(new Response(failing).arrayBuffer()).rejects.toThrow();
    await expect.poll(() => listeners.size).toBe(0);
  });
});
