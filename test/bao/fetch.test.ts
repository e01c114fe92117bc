// Verified ranges over HTTP: what is asked for, what is refused of a server's, and how bodies end.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type FetchVerifiedOptions,
  fetchVerified,
  IntegrityError,
  nodesOf,
  Outboard,
  outboard,
  ResponseError,
} from "blake-simd/bao";
import { describe, expect, it } from "vitest";
import { content, flipped, serve } from "../support/bao.ts";
import { expectBytes } from "../support/messages.ts";

const message = content(1_000_001);
const tree = outboard(message);
const { root } = tree;
const range = { start: 100_000, end: 300_000 };
const wanted = message.subarray(range.start, range.end);
const remote = { url: "bao" };
const files = {
  content: message,
  bao: tree.toBytes("bao"),
  iroh: tree.toBytes("iroh"),
  "post-order": tree.toBytes("post-order"),
};

type Change = Parameters<typeof serve>[1];
type Options = Partial<FetchVerifiedOptions>;

const get = (options: Options = {}) => fetchVerified("content", { root, outboard: tree, ...range, ...options });
const bytesOf = async (options?: Options) => new Uint8Array(await new Response(await get(options)).arrayBuffer());
const errorOf = (options?: Options) => bytesOf(options).catch((error) => error);
const spoiled = (change: Change) => serve(files, change).fetch;
const forbidden = () => expect.fail("a request");
const log = (asked: { path: string; start: number; end: number }[]) =>
  asked.map(({ path, start, end }) => `${path} ${start}-${end - 1}`);

describe("what is asked for", () => {
  it("with an outboard at hand, one range, of any fetch and of the runtime's", async () => {
    const { fetch, asked } = serve(files);
    expectBytes(await bytesOf({ fetch }), wanted);
    expect(log(asked)).toEqual(["content 98304-311295"]);
    const server = createServer((request, response) => {
      expect(request.headers.range).toBe("bytes=98304-311295");
      response.writeHead(206, { "Content-Range": "bytes 98304-311295/1000001" }).end(message.subarray(98_304, 311_296));
    }).listen(0, "127.0.0.1");
    await new Promise((listening) => server.once("listening", listening));
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const body = await fetchVerified(url, { root, outboard: tree, ...range });
    expectBytes(new Uint8Array(await new Response(body).arrayBuffer()), wanted);
    server.closeAllConnections();
    server.close();
  });

  it("all of it, an empty range, and one that begins at the end", async () => {
    const { fetch } = serve(files);
    for (const own of [tree, remote]) {
      expectBytes(await bytesOf({ fetch, outboard: own, start: undefined, end: undefined }), message);
      expectBytes(await bytesOf({ fetch, outboard: own, start: 5, end: 5 }), new Uint8Array());
      expectBytes(await bytesOf({ fetch, outboard: own, start: message.length, end: undefined }), new Uint8Array());
    }
  });

  it.each(["bao", "iroh", "post-order"] as const)("what is needed of a remote outboard in %s", async (format) => {
    const { fetch, asked } = serve(files);
    const length = format === "bao" ? undefined : message.length;
    expectBytes(await bytesOf({ outboard: { url: format, length, format }, fetch }), wanted);
    const spans = nodesOf({ length: message.length, group: 16384, format }, range);
    // All runs are near each other.
    const first = format === "bao" ? "bao 0-1048519" : `${format} ${spans[0]!.start}-${spans.at(-1)!.end - 1}`;
    expect(log(asked)).toEqual([first, "content 98304-311295"]);
  });

  it("nothing for content of no bytes, whose root is verified, or if the signal has been aborted before", async () => {
    const empty = outboard("");
    const own = { root: empty.root, outboard: empty, fetch: forbidden };
    expect((await (await fetchVerified("content", own)).getReader().read()).done).toBe(true);
    const lie = Outboard.from(empty.toBytes(), { root });
    await expect(fetchVerified("content", { root, outboard: lie, fetch: forbidden })).rejects.toThrow(IntegrityError);
    const signal = AbortSignal.abort(new Error("no"));
    await expect(get({ signal, fetch: forbidden })).rejects.toThrow("no");
    await expect(fetchVerified("content", { ...own, signal })).rejects.toThrow("no");
  });
});

describe("a response is refused before any byte, and its body cancelled,", () => {
  const first = "must have Content-Range bytes 98304-311295/1000001, got ";
  it.each<[what: string, change: Change, reason: string, text: string]>([
    [
      "a 200",
      (answer) => (answer.status = 200),
      "status",
      "must have status 206, got 200: the server sends all of the content",
    ],
    ["a 416", (answer) => (answer.status = 416), "status", "must have status 206, got 416"],
    ...["bytes 98305-311295/1000001", "bytes 98304-311294/1000001", "bytes 98304-311295/1000002"].map(
      (given): [string, Change, string, string] => [
        given,
        ({ headers }) => (headers["Content-Range"] = given),
        "content-range",
        first + given,
      ],
    ),
    ["no Content-Range", (answer) => (answer.headers = {}), "content-range", `${first}none`],
    ["another ETag", ({ headers }) => (headers.ETag = '"2"'), "etag", 'must have ETag "1", got "2"'],
    ["no ETag", ({ headers }) => delete headers.ETag, "etag", 'must have ETag "1", got none'],
  ])("%s", async (_, change, reason, text) => {
    const server = serve(files, async (answer, asked) => {
      answer.headers.ETag = '"1"';
      await change!(answer, asked);
    });
    const error = await errorOf({ etag: '"1"', fetch: server.fetch });
    expect(error).toBeInstanceOf(ResponseError);
    expect(error).toMatchObject({
      name: "ResponseError",
      reason,
      status: /\d{3}$/.exec(_)?.[0] ? expect.any(Number) : 206,
    });
    expect(error.message).toBe(`fetchVerified: the response of the server ${text}`);
    expect(server.cancelled).toEqual([undefined]);
  });

  it("one without a body, or with one that somebody reads", async () => {
    expect(await errorOf({ fetch: spoiled((answer) => (answer.body = null)) })).toMatchObject({
      reason: "body",
      message: expect.stringMatching(/must have a body, got none$/),
    });
    const { fetch } = serve(files);
    const locked = async (...args: Parameters<typeof fetch>) => {
      const response = await fetch(...args);
      response.body!.getReader();
      return response;
    };
    const error = await errorOf({ fetch: locked });
    expect(error).toMatchObject({ name: "ResponseError", reason: "body", status: 206 });
    expect(error.message).toMatch(/must have an unread body, got a locked one$/);
  });

  it("a ResponseError has its name where errors of the language have theirs", () => {
    const { value: _, ...own } = Object.getOwnPropertyDescriptor(ResponseError.prototype, "name")!;
    const { value: __, ...language } = Object.getOwnPropertyDescriptor(TypeError.prototype, "name")!;
    expect(own).toEqual(language);
  });
});

it("the bytes of another origin that hides its headers are verified all the same", async () => {
  for (const [change, reason] of [
    [(bytes: Uint8Array) => bytes, undefined],
    [(bytes: Uint8Array) => flipped(bytes, 5), "bytes"],
  ] as const) {
    const { fetch } = serve({ ...files, content: change(message.slice(98_304)) }, (answer, asked) => {
      answer.headers = {};
      answer.body = change(message.slice(asked.start, asked.end)) as Uint8Array<ArrayBuffer>;
    });
    const hidden = async (...args: Parameters<typeof fetch>) =>
      Object.defineProperty(await fetch(...args), "type", { value: "cors" });
    const result = await errorOf({ fetch: hidden });
    if (reason) expect(result).toMatchObject({ name: "IntegrityError", reason });
    else expectBytes(result, wanted);
  }
});

describe("a remote outboard", () => {
  it.each<[what: string, bao: Uint8Array, reason: string]>([
    ["that is wrong", flipped(files.bao, 8), "node"],
    ["that is short", files.bao.subarray(0, 20), "truncated"],
    ["that claims too much", new Uint8Array(8).fill(255), "length"],
    [
      "that claims less content than the range begins at",
      Uint8Array.of(10, ...new Uint8Array(7), ...files.bao.subarray(8)),
      "length",
    ],
  ])("%s is refused", async (_, bao, reason) => {
    const { fetch, asked } = serve({ content: message, bao });
    expect(await errorOf({ outboard: remote, fetch })).toMatchObject({ name: "IntegrityError", reason, offset: 0 });
    expect(asked.some(({ path }) => path === "content")).toBe(false);
  });

  it.each([
    ["shorter than what was asked for", -1, "truncated"],
    ["longer", 1, "trailing"],
  ])("of which a part is %s is refused, and read no further", async (_, more, reason) => {
    const { fetch, cancelled } = serve({ ...files, iroh: (start, end) => new Uint8Array(end - start + more) });
    const own = { url: "iroh", format: "iroh", length: message.length } as const;
    expect(await errorOf({ outboard: own, fetch })).toMatchObject({ name: "IntegrityError", reason, offset: 0 });
    expect(cancelled.length).toBe(more > 0 ? 1 : 0);
  });

  it.each([
    ["less than its length says", (bao: Uint8Array) => bao.slice(0, -1), "truncated"],
    ["more than its length says", (bao: Uint8Array) => Buffer.concat([bao, bao.subarray(-1)]), "trailing"],
  ])("of which there is %s is refused before content is requested", async (_, change, reason) => {
    const { fetch, asked } = serve({ ...files, bao: change(files.bao) });
    expect(await errorOf({ outboard: remote, fetch })).toMatchObject({ name: "IntegrityError", reason, offset: 0 });
    expect(log(asked)).toEqual(["bao 0-1048519"]);
  });

  it.each([
    "bytes 0-99/101",
    "bytes 0-1048520/1048521",
    "bytes 1-1048519/1048520",
    "bytes 0-99/*",
    "bytes 0-1048520/*",
  ])("whose first part is %s is refused", async (range) => {
    const fetch = spoiled(
      ({ headers }, { path }) => path === "bao" && Object.assign(headers, { "Content-Range": range }),
    );
    expect(await errorOf({ outboard: remote, fetch })).toMatchObject({ reason: "content-range" });
  });
});

describe("the body", () => {
  const idle = () => new Promise((resolve) => setTimeout(resolve, 5));

  it("is read as its own reader asks, and no further, and cancelled when that cancels", async () => {
    let asked = 0;
    const { fetch, cancelled } = serve({
      content: (start) => {
        asked++;
        return message.slice(start, start + 16_384);
      },
    });
    const reader = (await get({ fetch })).getReader();
    for (const count of [0, 1, 2, 3]) {
      await idle();
      expect(asked).toBe(count);
      expect((await reader.read()).value?.length).toBe(count === 0 ? 98_304 + 16_384 - range.start : 16_384);
    }
    await reader.cancel("enough");
    expect(cancelled).toEqual(["enough"]);
  });

  it("is cancelled at the first wrong byte", async () => {
    const { fetch, cancelled } = serve({ content: (start, end) => new Uint8Array(Math.min(end - start, 16_384)) });
    const error = await errorOf({ fetch });
    expect(error).toMatchObject({ name: "IntegrityError", reason: "bytes" });
    await expect.poll(() => cancelled).toEqual([error]);
  });
});
