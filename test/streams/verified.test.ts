// verified: what a reader of the Response gets of a right body and of a wrong one, and what is refused at once.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { gzipSync } from "node:zlib";
import { blake2b as nobleBlake2b } from "@noble/hashes/blake2.js";
import { blake2b, blake3, toHex } from "blake-simd";
import { digestOf, IntegrityError, verified } from "blake-simd/streams";
import { describe, expect, it } from "vitest";
import {
  bytes,
  cut,
  forbidUnhandledRejections,
  nobleDigest,
  quiet,
  rejection,
  streamOf,
  watched,
} from "../support/streams.ts";

forbidUnhandledRejections();

const message = bytes(200_000);
const right = nobleDigest(message);
const wrong = right.with(31, (right[31] as number) ^ 1);
const streaming = (init?: ResponseInit) => new Response(streamOf(cut(message, 7000)), init);
const nothing = nobleDigest("");

/** The error that a call throws. */
function thrown(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
}

describe("headers", () => {
  const headersOf = (response: Response, names = ["content-type", "content-encoding", "content-length", "vary"]) =>
    names.map((name) => response.headers.get(name));
  const all = { "Content-Type": "text/plain", Vary: "Accept-Encoding" };
  const encoded = { ...all, "Content-Encoding": "gzip", "Content-Length": "50" };

  it("are those of the body that is read: what counts an encoded one is gone", () => {
    const made = verified(blake3, new Response(message, { headers: encoded }), right);
    expect(headersOf(made)).toEqual(["text/plain", null, null, "Accept-Encoding"]);
  });

  it("are the response's if the body was not encoded, or there is none", () => {
    const plain = { ...all, "Content-Length": "200000" };
    expect(headersOf(verified(blake3, new Response(message, { headers: plain }), right))[2]).toBe("200000");
    const toHead = verified(blake3, new Response(null, { headers: encoded }), nothing);
    expect(headersOf(toHead)).toEqual(["text/plain", "gzip", "50", "Accept-Encoding"]);
  });

  it("let the client of a server that passes an encoded body on read it, and HEAD ask for it", async () => {
    const text = "hello ".repeat(10_000);
    const packed = gzipSync(text);
    const origin = await serve((request, response) => {
      response.writeHead(200, { "Content-Encoding": "gzip", "Content-Length": packed.length });
      response.end(request.method === "HEAD" ? undefined : packed);
    });
    const server = await serve(async ({ method }, response) => {
      const expected = method === "HEAD" ? nothing : nobleDigest(text);
      const { status, headers, body } = verified(
        blake3,
        await fetch(origin.url, { method: method as string }),
        expected,
      );
      response.writeHead(status, Object.fromEntries(headers));
      if (body) await pipeline(body as never, response);
      else response.end();
    });
    try {
      expect(await (await fetch(server.url)).text()).toBe(text);
      const head = await fetch(server.url, { method: "HEAD" });
      expect(headersOf(head).slice(1, 3)).toEqual(["gzip", String(packed.length)]);
    } finally {
      origin.close();
      server.close();
    }
  });
});

async function serve(handler: RequestListener): Promise<{ url: string; close(): void }> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close };
}

describe("a body", () => {
  it.each([
    ["bytes", () => new Response(message)],
    ["a stream", streaming],
    ["a Blob", () => new Response(new Blob([message]))],
  ])("of %s is passed on if it is right, and fails if it is wrong", async (_, make) => {
    const response = verified(blake3, make(), right);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(message);
    for (const read of ["arrayBuffer", "text", "blob"] as const) {
      expect(await rejection(verified(blake3, make(), wrong)[read]())).toBeInstanceOf(IntegrityError);
    }
  });

  it("that is empty is verified, too", async () => {
    expect(await verified(blake3, new Response(""), nothing).text()).toBe("");
    expect(await rejection(verified(blake3, new Response(""), right).text())).toBeInstanceOf(IntegrityError);
  });

  it("is cancelled if the reader cancels, and the hasher wiped", async () => {
    let reason: unknown;
    const { algorithm, disposed } = watched();
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(bytes(9)),
      cancel: (why) => {
        reason = why;
      },
    });
    await verified(algorithm, new Response(body), right).body?.cancel("enough");
    await quiet();
    expect([reason, disposed()]).toEqual(["enough", true]);
  });

  it("is verified under a key and with a length", async () => {
    const options = { key: bytes(40), length: 24 };
    const digest = nobleBlake2b(message, { key: bytes(40), dkLen: 24 });
    const response = verified(blake2b, streaming(), digest, { ...options, requireOk: true });
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(message);
    expect(await rejection(verified(blake2b, streaming(), digest, { length: 24 }).text())).toBeInstanceOf(
      IntegrityError,
    );
  });
});

it("the Response has the status and the headers of the one that was given", async () => {
  const headers = { "content-type": "text/plain", "content-length": "200000", etag: '"x"' };
  const given = streaming({ status: 203, statusText: "Mostly", headers });
  const response = verified(blake3, given, right);
  expect(response).toBeInstanceOf(Response);
  expect([response.status, response.statusText, Object.fromEntries(response.headers)]).toEqual([
    203,
    "Mostly",
    headers,
  ]);
  expect([given.body?.locked, response.bodyUsed]).toEqual([true, false]);
  await response.arrayBuffer();
});

describe("without a body", () => {
  it.each([200, 204, 205, 304])("a response of status %i is verified at once, as nothing", async (status) => {
    const make = () => new Response(null, { status });
    const options = { requireOk: status !== 304 };
    const error = thrown(() => verified(blake3, make(), right, options));
    expect(error).toBeInstanceOf(IntegrityError);
    expect(error.message).toBe(`verified: the digest of the message must be ${toHex(right)}, got ${toHex(nothing)}`);
    const response = verified(blake3, make(), nothing, options);
    expect([response.status, response.body, await response.text()]).toEqual([status, null, ""]);
    expect(thrown(() => verified(blake3, make(), nothing, { key: bytes(32), ...options }))).toBeInstanceOf(
      IntegrityError,
    );
  });

  it("the hasher is wiped", () => {
    for (const expected of [nothing, right]) {
      const { algorithm, disposed } = watched();
      try {
        verified(algorithm, new Response(null), expected);
      } catch {}
      expect(disposed()).toBe(true);
    }
  });
});

it("the error of a wrong body names where it is from, without the query, which may be a signature", async () => {
  const response = Object.defineProperty(streaming(), "url", { value: "https://a.example/b?sig=secret#c" });
  const error = (await rejection(verified(blake3, response, wrong).text())) as Error;
  const text = `the digest of https://a.example/b must be ${toHex(wrong)}, got ${toHex(right)}`;
  expect(error.message).toBe(`verified: ${text}`);
});

describe("is refused at once, and left alone", () => {
  it.each([304, 404, 500])("a response of status %i, unless requireOk is false", async (status) => {
    const make = () => new Response(status === 304 ? null : message, { status });
    const given = make();
    expect(thrown(() => verified(blake3, given, right))).toEqual(
      new RangeError(
        `verified: response must be a Response with a status from 200 to 299, got status ${status}: set requireOk to false to hash it`,
      ),
    );
    expect(given.bodyUsed).toBe(false);
    if (status === 304) return;
    const response = verified(blake3, make(), right, { requireOk: false });
    expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([status, message.length]);
  });

  it("a status outside 200 to 299 of an object that has no ok", async () => {
    const given = { status: 404, bodyUsed: false, body: streamOf([message]), arrayBuffer: async () => message.buffer };
    const text = /must be a Response with a status from 200 to 299, got status 404/;
    expect(thrown(() => verified(blake3, given as unknown as Response, right)).message).toMatch(text);
    expect(String(await rejection(digestOf(blake3, given as unknown as Response)))).toMatch(text);
    expect(given.body.locked).toBe(false);
  });

  it.each<[string, () => unknown, RegExp]>([
    [
      "a promise",
      () => Promise.resolve(streaming()),
      /response must be a Response, got an object \(Promise\): await what/,
    ],
    ["undefined", () => undefined, /response must be a Response, got undefined/],
    ["a stream", () => streamOf([message]), /response must be a Response, got an object/],
    ["a Request", () => new Request("http://host.test/"), /response must be a Response, got an object/],
    ["a Response that hides its body", () => Response.error(), /can be read, got one with status 0/],
    ["an opaque one", () => Object.defineProperty(new Response(null), "type", { value: "opaque" }), /of type opaque/],
    ["a body that was used", used, /an unread body, got one that was used/],
    ["a locked body", locked, /response must have a body that is not locked, got a locked one/],
    [
      "a body of another kind",
      () => ({ status: 200, bodyUsed: false, body: "a" }),
      /body must be a ReadableStream or null/,
    ],
    [
      "no word of a body",
      () => ({ status: 200, bodyUsed: false }),
      /body must be a ReadableStream or null, got undefined/,
    ],
  ])("%s", async (_, make, text) => {
    const error = thrown(() => verified(blake3, make() as Response, nothing, { requireOk: false }));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/^verified: /);
    expect(error.message).toMatch(text);
  });

  it("a body that cannot be piped, and the hasher is wiped", () => {
    const { algorithm, disposed } = watched();
    const body = Object.assign(streamOf([message]), {
      pipeThrough() {
        throw new Error("never");
      },
    });
    const given = { status: 200, bodyUsed: false, body, headers: {} } as unknown as Response;
    expect(thrown(() => verified(algorithm, given, right)).message).toBe("never");
    expect([body.locked, disposed()]).toEqual([false, true]);
  });

  it("wrong options and expected digests", () => {
    const given = streaming();
    expect(thrown(() => verified(blake3, given, "ab")).message).toMatch(/^verified: expected must be 64 hexadecimal/);
    expect(thrown(() => verified(blake3, given, undefined as never)).message).toMatch(
      /^verified: expected must be a str/,
    );
    expect(thrown(() => verified(blake3, given, right, { nope: 1 } as object)).message).toMatch(
      /unknown option "nope"/,
    );
    expect(thrown(() => verified(blake3, given, right, { requireOk: 1 } as object)).message).toMatch(
      /requireOk must be a/,
    );
    expect(thrown(() => verified("blake3" as never, given, right)).message).toMatch(/^verified: algorithm must be one/);
    expect([given.bodyUsed, given.body?.locked]).toEqual([false, false]);
  });
});

function used(): Response {
  const response = new Response("x");
  void response.text();
  return response;
}

function locked(): Response {
  const response = new Response("x");
  response.body?.getReader();
  return response;
}
