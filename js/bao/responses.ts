// Requests parts of resources, and reads them. A server may send anything, at any speed, and a caller's `fetch` may
// ignore its signal.
import { toView } from "../input/bytes.js";
import { wrongKind } from "../input/errors.js";
import { unlessAborted } from "../input/signals.js";
import { eachChunk } from "../sources/chunks.js";
import { streamChunks } from "../sources/streams.js";
import { IntegrityError } from "./errors.js";
import type { Span } from "./selection.js";

export type Url = string | URL;
export type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

/** How resources are requested. */
export interface Requests {
  readonly fetch: (url: Url, init: RequestInit) => Promise<Response>;
  readonly signal: AbortSignal | undefined;
}

/** Why a response cannot be used: its status, its `Content-Range`, its `ETag`, or a missing body. */
export type ResponseReason = "status" | "content-range" | "etag" | "body";

/** A server's response is not the one that was requested. Its bytes have not been looked at. */
export class ResponseError extends Error {
  static {
    Object.defineProperty(ResponseError.prototype, "name", {
      value: "ResponseError",
      configurable: true,
      writable: true,
    });
  }

  /** The part of the response that is wrong. */
  readonly reason: ResponseReason;
  /** The HTTP status of the response. */
  readonly status: number;

  /** @internal */
  constructor(reason: ResponseReason, { status, url }: Response, must: string, got: unknown) {
    super(`fetchVerified: the response of ${url || "the server"} must ${must}, got ${got}`);
    this.reason = reason;
    this.status = status;
  }
}

/** Requests a range of bytes, such as `"bytes=0-16383"`. */
export async function requestRange(
  name: string,
  url: Url,
  range: string,
  { fetch, signal }: Requests,
): Promise<Response> {
  signal?.throwIfAborted();
  const asked = (async () => fetch(url, { headers: { Range: range }, ...(signal && { signal }) }))();
  const response = asked.then((value) => toResponse(name, value));
  return unlessAborted(signal, response, ({ body }, reason) => void discard(body, reason));
}

function toResponse(name: string, value: unknown): Response {
  const { status, headers, body } = Object(value) as Partial<Response>;
  const isResponse = typeof status === "number" && typeof headers?.get === "function";
  if (isResponse && (!body || typeof body.getReader === "function")) return value as Response;
  void discard(body);
  if (isResponse) throw wrongKind(name, "the body of what fetch resolves to", "a ReadableStream", body);
  throw wrongKind(name, "what fetch resolves to", "a Response", value);
}

/** Frees the connection of a body that is not read. Ignores its errors, which would hide the reason. */
async function discard(body: unknown, reason?: unknown): Promise<void> {
  const { cancel, destroy } = Object(body) as { cancel?: unknown; destroy?: unknown };
  try {
    if (typeof cancel === "function") await cancel.call(body, reason);
    // A stream of Node's, from another `fetch`.
    else if (typeof destroy === "function") destroy.call(body);
  } catch {}
}

/**
 * Returns the body, after checking that it is the requested part.
 *
 * @param mayEnd whether the resource may end within the part
 */
export function requirePart(
  response: Response,
  { start, end }: Span,
  length: number | undefined,
  etag: string | undefined,
  mayEnd = false,
): Body {
  const { status, headers, body } = response;
  const refuse = (reason: ResponseReason, must: string, got: unknown): never => {
    void discard(body);
    throw new ResponseError(reason, response, must, got);
  };
  if (status !== 206) {
    refuse("status", "have status 206", status === 200 ? "200: the server sends all of the content" : status);
  }
  const given = headers.get("content-range");
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(given ?? "") ?? [];
  const isLast = mayEnd && Number(total) === Number(last) + 1 && Number(total) < end;
  const same = Number(first) === start && (Number(last) === end - 1 || isLast);
  // A response from another origin may hide the header; then only the bytes are checked.
  const hidden = given === null && response.type === "cors";
  if (!hidden && !(same && (length === undefined || total === "*" || Number(total) === length))) {
    refuse("content-range", `have Content-Range bytes ${start}-${end - 1}/${length ?? "…"}`, given ?? "none");
  }
  const tag = headers.get("etag");
  if (etag !== undefined && tag !== etag) refuse("etag", `have ETag ${etag}`, tag ?? "none");
  if (body?.locked) refuse("body", "have an unread body", "a locked one");
  return (body ?? refuse("body", "have a body", "none")) as Body;
}

/**
 * Reads a body of known length, and stops if it is longer.
 *
 * @param mayEnd whether it may be shorter
 */
export async function readExactly(
  name: string,
  body: Body,
  length: number,
  signal: AbortSignal | undefined,
  mayEnd = false,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  let at = 0;
  await eachChunk(streamChunks(name, body), signal, (value) => {
    const chunk = toView(name, "chunk", value as Uint8Array);
    if (at + chunk.length > length) throw new IntegrityError(name, "trailing", 0);
    bytes.set(chunk, at);
    at += chunk.length;
  });
  if (at < length && !mayEnd) throw new IntegrityError(name, "truncated", 0);
  return at === length ? bytes : bytes.slice(0, at);
}
