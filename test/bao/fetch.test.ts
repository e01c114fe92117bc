// Verified ranges over HTTP: each wrong response of a server, with its own error.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
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
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { concat, content } from "../support/bao.ts";
import { expectBytes } from "../support/messages.ts";

const message = content(1_000_001);
const tree = outboard(message);
const files: Record<string, Uint8Array> = {
  "/content": message,
  "/outboard": tree.toBytes("bao"),
  "/outboard.iroh": tree.toBytes("iroh"),
  "/outboard.post": tree.toBytes("post-order"),
};
const range = { start: 100_000, end: 300_000 };
const wanted = message.subarray(range.start, range.end);

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** Changes a response about the content. */
let spoil: (answer: Answer) => void;
let asked: string[];
let server: Server;
let url: string;

function respond({ url: path = "", headers }: IncomingMessage, response: ServerResponse): void {
  const file = files[path];
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
  if (!file || !first || !last) return void response.writeHead(404).end();
  asked.push(`${path} ${first}-${last}`);
  const answer: Answer = {
    status: 206,
    headers: { "Content-Range": `bytes ${first}-${last}/${file.length}`, ETag: '"1"' },
    body: file.slice(Number(first), Number(last) + 1),
  };
  if (path === "/content") spoil(answer);
  response.writeHead(answer.status, answer.headers).end(answer.body);
}

beforeAll(async () => {
  server = createServer(respond).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  spoil = () => {};
  asked = [];
});

type Options = Partial<FetchVerifiedOptions>;

async function fetched(options: Options = {}): Promise<Uint8Array> {
  const stream = await fetchVerified(`${url}/content`, { root: tree.root, outboard: tree, ...range, ...options });
  const parts: Uint8Array[] = [];
  try {
    for await (const part of stream) parts.push(part);
  } catch (error) {
    // What came before is right.
    const given = concat(parts);
    expectBytes(given, wanted.subarray(0, given.length));
    throw error;
  }
  return concat(parts);
}

describe("fetchVerified", () => {
  it("asks a server that names no version of its files", async () => {
    const own = createServer((request, response) => {
      const removed = response.writeHead.bind(response);
      response.writeHead = ((status: number, { ETag: _, ...headers }: Record<string, string> = {}) =>
        removed(status, headers)) as never;
      respond(request, response);
    }).listen(0, "127.0.0.1");
    await new Promise((listening) => own.once("listening", listening));
    const { port } = own.address() as AddressInfo;
    const remote = {
      url: `http://127.0.0.1:${port}/outboard.post`,
      length: message.length,
      format: "post-order",
    } as const;
    expectBytes(await fetched({ outboard: remote }), wanted);
    expect(asked.filter((line) => line.startsWith("/outboard.post")).length).toBeGreaterThan(1);
    own.closeAllConnections();
    own.close();
  });

  it("gives a range with an outboard at hand, by one request", async () => {
    expectBytes(await fetched(), wanted);
    expect(asked).toEqual(["/content 98304-311295"]);
  });

  it("gives all of it, an empty range, and one that begins at the end", async () => {
    expectBytes(await fetched({ start: undefined, end: undefined }), message);
    expect(await fetched({ start: 5, end: 5 })).toEqual(new Uint8Array());
    expect(await fetched({ start: message.length, end: undefined })).toEqual(new Uint8Array());
  });

  it.each([
    ["bao", "/outboard", undefined],
    ["iroh", "/outboard.iroh", message.length],
    ["post-order", "/outboard.post", message.length],
  ] as const)("fetches what it needs of a remote outboard in %s", async (format, path, length) => {
    expectBytes(await fetched({ outboard: { url: url + path, length, format } }), wanted);
    const nodes = nodesOf({ length: message.length, group: 16384, format }, range);
    const parts = nodes.map(({ start, end }) => `${path} ${start}-${end - 1}`);
    expect(asked).toEqual([...(format === "bao" ? ["/outboard 0-7"] : []), ...parts, "/content 98304-311295"]);
    const bytes = nodes.reduce((sum, { start, end }) => sum + end - start, 0);
    expect(bytes).toBeLessThan(tree.toBytes(format).length / 2);
  });

  it("needs no request for content of no bytes, and still verifies its root", async () => {
    const empty = outboard("");
    const fetch = () => expect.fail("a request");
    const stream = await fetchVerified(url, { root: empty.root, outboard: empty, fetch });
    expect((await stream.getReader().read()).done).toBe(true);
    const lie = Outboard.from(empty.toBytes(), { root: tree.root });
    await expect(fetchVerified(url, { root: tree.root, outboard: lie, fetch })).rejects.toThrow(IntegrityError);
  });

  it.each([
    ["a 200", { status: 200 }, "status", /must have status 206, got 200: the server sends all of the content$/],
    ["a 416", { status: 416 }, "status", /got 416$/],
    [
      "another range",
      { range: "bytes 98305-311295/1000001" },
      "content-range",
      /must have Content-Range bytes 98304-311295/,
    ],
    ["another length", { range: "bytes 98304-311295/1000002" }, "content-range", /got bytes 98304-311295\/1000002/],
    ["no Content-Range", { range: "" }, "content-range", /got none|got $/],
    ["another ETag", { etag: '"2"' }, "etag", /must have ETag "1", got "2"/],
  ])(
    "refuses %s before any byte",
    async (_what, { status, range: contentRange, etag }: Record<string, unknown>, reason, text) => {
      spoil = (answer) => {
        if (status) answer.status = status as number;
        if (contentRange !== undefined) answer.headers["Content-Range"] = contentRange as string;
        if (etag) answer.headers.ETag = etag as string;
      };
      const error = await fetched({ etag: '"1"' }).catch((caught) => caught);
      expect(error).toBeInstanceOf(ResponseError);
      expect(error).toMatchObject({ name: "ResponseError", reason, status: status ?? 206 });
      expect(error.message).toMatch(text);
    },
  );

  it.each([
    ["a flipped bit", (body: Uint8Array) => body.fill(0, 100_000, 100_001), { reason: "bytes", offset: 196_608 }],
    ["a body that is too short", (body: Uint8Array) => body.subarray(0, 100_000), { reason: "truncated" }],
    ["a body that is too long", (body: Uint8Array) => concat([body, body]), { reason: "trailing", offset: 311_296 }],
  ])("ends with an IntegrityError after right bytes for %s", async (_what, change, expected) => {
    spoil = (answer) => {
      answer.body = change(answer.body);
    };
    await expect(fetched()).rejects.toMatchObject({ name: "IntegrityError", ...expected });
  });

  it("refuses a remote outboard that is wrong", async () => {
    files["/wrong"] = tree.toBytes("bao");
    files["/wrong"].fill(0, 8, 9);
    await expect(fetched({ outboard: { url: `${url}/wrong` } })).rejects.toMatchObject({ reason: "node", offset: 0 });
    files["/short"] = new Uint8Array(20);
    await expect(fetched({ outboard: { url: `${url}/short` } })).rejects.toMatchObject({ name: "IntegrityError" });
    files["/claim"] = new Uint8Array(8).fill(255);
    await expect(fetched({ outboard: { url: `${url}/claim` } })).rejects.toMatchObject({ reason: "length" });
  });

  /** A server that makes a response of its own, for the outboard or the content. */
  const responding =
    (respond: (file: Uint8Array, start: number, end: number, path: string) => Response) =>
    async (address: string | URL, { headers }: RequestInit) => {
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec((headers as Record<string, string>).Range!)!;
      const { pathname } = new URL(address);
      return respond(files[pathname]!, Number(first), Number(last) + 1, pathname);
    };

  const part = (file: Uint8Array, start: number, end: number, body: BodyInit | null, etag = "1") =>
    new Response(body, { status: 206, headers: { "Content-Range": `bytes ${start}-${end - 1}/${file.length}`, etag } });

  it.each([
    ["shorter than what was asked for", -1, "truncated"],
    ["longer", 1, "trailing"],
  ])("refuses a part of a remote outboard that is %s, and reads no more of it", async (_, more, reason) => {
    let cancelled = false;
    const endless = (bytes: Uint8Array) =>
      new ReadableStream({
        start: (controller) => controller.enqueue(bytes),
        pull: (controller) => (more < 0 ? controller.close() : controller.enqueue(bytes)),
        cancel: () => {
          cancelled = true;
        },
      });
    const fetch = responding((file, start, end) =>
      part(file, start, end, endless(file.slice(start, end + Math.min(more, 0)))),
    );
    const error = await fetched({ outboard: { url: `${url}/outboard` }, fetch }).catch((caught) => caught);
    expect(error).toMatchObject({ name: "IntegrityError", reason, offset: 0 });
    expect(cancelled).toBe(more > 0);
  });

  it("gives nothing of a range that begins at the end which the outboard claims", async () => {
    const outboard = { url: `${url}/outboard` };
    expect(await fetched({ outboard, start: message.length, end: undefined })).toEqual(new Uint8Array());
  });

  it("refuses an outboard that changes between its parts", async () => {
    let requests = 0;
    const fetch = responding((file, start, end) => part(file, start, end, file.slice(start, end), `"${requests++}"`));
    await expect(fetched({ outboard: { url: `${url}/outboard` }, fetch })).rejects.toMatchObject({
      name: "ResponseError",
      reason: "etag",
      message: 'fetchVerified: the response of the server must have ETag "0", got "1"',
    });
  });

  it("takes an outboard whose later part alone has an ETag", async () => {
    const fetch = responding((file, start, end) => {
      const response = part(file, start, end, file.slice(start, end));
      if (start === 0) response.headers.delete("etag");
      return response;
    });
    expectBytes(await fetched({ outboard: { url: `${url}/outboard` }, fetch }), wanted);
  });

  it("refuses an outboard that claims less content than the range begins at", async () => {
    files["/little"] = tree.toBytes("bao");
    new DataView(files["/little"].buffer).setBigUint64(0, 10n, true);
    await expect(fetched({ outboard: { url: `${url}/little` } })).rejects.toMatchObject({
      name: "IntegrityError",
      reason: "length",
    });
  });

  it("needs the length for an outboard without a header", async () => {
    const outboard = { url: `${url}/outboard.iroh`, format: "iroh" } as const;
    await expect(fetched({ outboard })).rejects.toThrow(/outboard.length must be given with format "iroh"/);
    expect(asked).toEqual([]);
  });

  it("refuses a 206 without a body, and with none of the headers", async () => {
    const none = responding((file, start, end) => part(file, start, end, null));
    await expect(fetched({ fetch: none })).rejects.toMatchObject({
      reason: "body",
      message: /must have a body, got none/,
    });
    const bare = responding(() => new Response("x", { status: 206 }));
    await expect(fetched({ fetch: bare })).rejects.toThrow(/must have Content-Range bytes 98304-.*, got none$/);
    const untagged = responding((file, start, end) => {
      const response = part(file, start, end, "x");
      response.headers.delete("etag");
      return response;
    });
    await expect(fetched({ fetch: untagged, etag: "1" })).rejects.toThrow(/must have ETag 1, got none$/);
  });

  it("cancels the body of a response that it refuses", async () => {
    const cancel = vi.fn();
    const body = new ReadableStream({ cancel });
    await expect(fetched({ fetch: async () => new Response(body) })).rejects.toThrow("got 200");
    expect(cancel).toHaveBeenCalledOnce();
  });

  it("reads the body as its own reader asks, and no more of it", async () => {
    let asked = 0;
    const body = new ReadableStream(
      {
        pull: (controller) => {
          controller.enqueue(message.slice(98_304 + 16_384 * asked, 98_304 + 16_384 * (asked + 1)));
          asked++;
        },
      },
      { highWaterMark: 0 },
    );
    const fetch = responding((file, start, end) => part(file, start, end, body));
    const stream = await fetchVerified(`${url}/content`, { root: tree.root, outboard: tree, ...range, fetch });
    const idle = () => new Promise((resolve) => setTimeout(resolve, 5));
    await idle();
    expect(asked).toBe(0);
    const reader = stream.getReader();
    for (const count of [1, 2, 3]) {
      expect((await reader.read()).done).toBe(false);
      await idle();
      expect(asked).toBe(count);
    }
    await reader.cancel();
  });

  it("asks for nothing if its signal has been aborted before", async () => {
    const signal = AbortSignal.abort(new Error("no"));
    const fetch = () => expect.fail("a request");
    await expect(fetched({ signal, fetch })).rejects.toThrow("no");
    const empty = outboard("");
    await expect(fetchVerified(url, { root: empty.root, outboard: empty, fetch, signal })).rejects.toThrow("no");
  });

  it("verifies the bytes of another origin that hides its headers", async () => {
    const hidden = (change: (bytes: Uint8Array<ArrayBuffer>) => void) =>
      responding((file, start, end) => {
        const bytes = file.slice(start, end);
        change(bytes);
        return Object.defineProperty(new Response(bytes, { status: 206 }), "type", { value: "cors" });
      });
    expectBytes(await fetched({ fetch: hidden(() => {}) }), wanted);
    const wrong = hidden((bytes) => bytes.fill(0, 5, 6));
    await expect(fetched({ fetch: wrong })).rejects.toMatchObject({ name: "IntegrityError", reason: "bytes" });
  });

  it("cancels the body at the first wrong byte, and when its reader cancels", async () => {
    const cancel = vi.fn();
    const endless = (bytes: Uint8Array) =>
      responding((file, start, end) => {
        const pull = (controller: ReadableStreamDefaultController) => controller.enqueue(bytes.slice());
        return part(file, start, end, new ReadableStream({ pull, cancel }));
      });
    const error = await fetched({ fetch: endless(new Uint8Array(16_384)) }).catch((caught) => caught);
    expect(error).toMatchObject({ name: "IntegrityError", reason: "bytes" });
    expect(cancel).toHaveBeenLastCalledWith(error);
    const fetch = endless(message.subarray(98_304, 131_072));
    const stream = await fetchVerified(`${url}/content`, { root: tree.root, outboard: tree, ...range, fetch });
    const reader = stream.getReader();
    expect((await reader.read()).value?.[0]).toBe(wanted[0]);
    await reader.cancel("enough");
    expect(cancel).toHaveBeenLastCalledWith("enough");
  });

  it.each<[Options | undefined, RegExp]>([
    [{ root: "ab" }, /^fetchVerified: root must be 64 hexadecimal digits, got a string of length 2/],
    [{ root: outboard("x").root }, /^fetchVerified: outboard has a different root/],
    [{ outboard: 5 as never }, /^fetchVerified: outboard must be an Outboard or \{ url, .* got a number/],
    [{ fetch: "x" as never }, /fetch must be a function, got a string/],
    [{ etag: 5 as never }, /etag must be a string, got a number/],
    [{ ends: 5 } as never, /unknown option "ends"; allowed are root, outboard, /],
  ])("refuses %o", async (options, text) => {
    await expect(fetched(options)).rejects.toThrow(text);
    expect(asked).toEqual([]);
  });
});

it("a ResponseError has its name where errors of the language have theirs", () => {
  const { value: _, ...own } = Object.getOwnPropertyDescriptor(ResponseError.prototype, "name")!;
  const { value: __, ...language } = Object.getOwnPropertyDescriptor(TypeError.prototype, "name")!;
  expect(own).toEqual(language);
});
