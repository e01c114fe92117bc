// A verified range of a resource that an untrusted server holds.
import type { Input } from "../input/bytes.js";
import { requireArguments, wrongKind } from "../input/errors.js";
import { equal } from "../input/text.js";
import { requireOptions, toBytes, toFormat, toGroup, toPosition, toRoot } from "./arguments.js";
import { IntegrityError } from "./errors.js";
import { HEADER, readLength } from "./header.js";
import { FORMATS, Outboard, type OutboardFormat } from "./outboard.js";
import type { ContentRange, Span } from "./ranges.js";
import { nodesOf, rangeOf, rangeVerifier } from "./verified-range.js";

/** Why an answer cannot be used: its status, its `Content-Range`, its `ETag`, or a missing body. */
export type ResponseReason = "status" | "content-range" | "etag" | "body";

/** A server's answer is not the one that was asked for, whatever its bytes are. */
export class ResponseError extends Error {
  static {
    Object.defineProperty(ResponseError.prototype, "name", {
      value: "ResponseError",
      configurable: true,
      writable: true,
    });
  }

  /** Which part of the answer it is. */
  readonly reason: ResponseReason;
  /** The answer's HTTP status. */
  readonly status: number;

  /** @internal */
  constructor(reason: ResponseReason, { status, url }: Response, must: string, got: unknown) {
    super(`fetchVerified: the response of ${url || "the server"} must ${must}, got ${got}`);
    this.reason = reason;
    this.status = status;
  }
}

/** An outboard that lies on a server: of its bytes only those are fetched that the range needs. */
export interface RemoteOutboard {
  /** Where it is. */
  readonly url: string | URL;
  /** Bytes in the content. With format `"bao"` it may be left out: the outboard's header claims it then. */
  readonly length?: number | undefined;
  /** Bytes in a group, by default 16384. */
  readonly group?: number | undefined;
  /** By default `"bao"`. */
  readonly format?: OutboardFormat | undefined;
}

/** What `fetchVerified` needs to know. */
export interface FetchVerifiedOptions extends ContentRange {
  /** The content's BLAKE3 digest: 32 bytes, or hexadecimal text. This is what is trusted. */
  readonly root: Input;
  /** The content's outboard, from wherever; or where to fetch it. */
  readonly outboard: Outboard | RemoteOutboard;
  /** The `ETag` that the content must have, such as that of an earlier answer. */
  readonly etag?: string | undefined;
  /** Ends the requests and the stream, with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** By default the runtime's own `fetch`. */
  readonly fetch?: ((url: string | URL, init: RequestInit) => Promise<Response>) | undefined;
}

type Ask = (url: string | URL, range: string) => Promise<Response>;

/**
 * Fetches a range of a resource, with one `Range` request, and gives its bytes as they are verified: for a server that need
 * not be trusted. Where the outboard is remote too, one request for each stretch of nodes comes first.
 *
 * @returns a stream of right bytes. It fails with an {@link IntegrityError} at the first group that is wrong
 *   (`reason` `"bytes"`), and if the body is shorter or longer than what was asked for (`"truncated"`, `"trailing"`). What it
 *   gave before is right and may be kept. The promise rejects with a {@link ResponseError} for an answer that is no
 *   206 (a 200 sends everything from the beginning), has another `Content-Range` than asked for, or another `ETag` than
 *   `etag` says or the outboard's other parts had; with an IntegrityError for an outboard that is cut; with what `fetch`
 *   rejects with; with a TypeError or RangeError for a wrong argument
 * @example
 * const body = await fetchVerified("https://mirror.example/film.mp4", { root, outboard: tree, start: 5_000_000 });
 * return new Response(body, { status: 206 });
 */
export async function fetchVerified(
  url: string | URL,
  options: FetchVerifiedOptions,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const name = "fetchVerified";
  requireArguments(name, arguments.length, 2);
  requireOptions(name, options, ["root", "outboard", "start", "end", "etag", "signal", "fetch"]);
  const { outboard, start, end, etag, signal, fetch = globalThis.fetch } = options;
  const root = toRoot(name, options.root);
  if (typeof fetch !== "function") throw wrongKind(name, "fetch", "a function", fetch);
  if (etag !== undefined && typeof etag !== "string") throw wrongKind(name, "etag", "a string", etag);
  signal?.throwIfAborted();
  const ask: Ask = (address, range) => fetch(address, { headers: { Range: range }, ...(signal && { signal }) });
  const range = { start, end };
  const tree = await toOutboard(name, outboard, root, range, ask);
  const rounded = rangeOf(tree, range);
  if (tree.length === 0) return emptyContent(name, tree, range);
  const response = await ask(url, rounded.header);
  const body = await acceptPart(response, rounded, tree.length, etag);
  return verifiedBody(body, (give) => rangeVerifier(name, tree, range, give));
}

async function toOutboard(
  name: string,
  outboard: Outboard | RemoteOutboard,
  root: Uint8Array,
  range: ContentRange,
  ask: Ask,
): Promise<Outboard> {
  if (outboard instanceof Outboard) {
    if (equal(outboard.root, root)) return outboard;
    throw new RangeError(`${name}: outboard must have the root that is given, got one of another`);
  }
  if (typeof outboard !== "object" || outboard === null) {
    throw wrongKind(name, "outboard", "an Outboard or { url, length, group, format }", outboard);
  }
  requireOptions(name, outboard, ["url", "length", "group", "format"]);
  return fetchOutboard(name, outboard, root, range, ask);
}

/** Fetches the nodes that the range needs. */
async function fetchOutboard(
  name: string,
  remote: RemoteOutboard,
  root: Uint8Array,
  range: ContentRange,
  ask: Ask,
): Promise<Outboard> {
  const format = toFormat(name, remote.format, FORMATS, "bao");
  const group = toGroup(name, remote.group);
  if (remote.length === undefined && format !== "bao") {
    throw wrongKind(name, `outboard.length, with format ${JSON.stringify(format)},`, "a number", undefined);
  }
  const known = remote.length === undefined ? undefined : toPosition(name, "outboard.length", remote.length);
  const part = partFetcher(name, remote.url, ask);
  const length = known ?? readLength(name, await part({ start: 0, end: HEADER }));
  // A claim must not make a range that the caller has right a mistake of the caller's.
  if (known === undefined && range.start !== undefined && range.start > length) {
    throw new IntegrityError(name, "length", 0);
  }
  const spans = nodesOf({ length, group, format }, range);
  const parts = [];
  for (const span of spans) parts.push({ start: span.start, bytes: await part(span) });
  return Outboard.fromParts(parts, { root, length, group, format });
}

/** Fetches stretches of one and the same resource: its ETag must not change in between. */
function partFetcher(name: string, url: string | URL, ask: Ask): (span: Span) => Promise<Uint8Array> {
  let etag: string | undefined;
  return async (span) => {
    const response = await ask(url, `bytes=${span.start}-${span.end - 1}`);
    const body = await acceptPart(response, span, undefined, etag);
    etag = response.headers.get("etag") ?? undefined;
    return readExactly(name, body, span.end - span.start);
  };
}

/** Reads a body of known length, and no more of a longer one. */
async function readExactly(
  name: string,
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  length: number,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  const reader = body.getReader();
  for (let at = 0; ; ) {
    const { done, value } = await reader.read();
    if (done && at < length) throw new IntegrityError(name, "truncated", 0);
    if (done) return bytes;
    const chunk = toBytes(name, "chunk", value);
    if (at + chunk.length > length) {
      reader.cancel().catch(() => {});
      throw new IntegrityError(name, "trailing", 0);
    }
    bytes.set(chunk, at);
    at += chunk.length;
  }
}

/** The body of the very part that was asked for. */
async function acceptPart(
  response: Response,
  { start, end }: Span,
  length: number | undefined,
  etag: string | undefined,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  try {
    return requirePart(response, start, end, length, etag);
  } catch (error) {
    // Nobody reads it: the connection is free again.
    response.body?.cancel().catch(() => {});
    throw error;
  }
}

function requirePart(
  response: Response,
  start: number,
  end: number,
  length: number | undefined,
  etag: string | undefined,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { status, headers, body } = response;
  if (status !== 206) {
    const got = status === 200 ? "200: the server sends all of the content" : status;
    throw new ResponseError("status", response, "have status 206", got);
  }
  const wanted = `bytes ${start}-${end - 1}/${length ?? "…"}`;
  const given = headers.get("content-range");
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(given ?? "") ?? [];
  const same = Number(first) === start && Number(last) === end - 1;
  // Where a header is hidden, as another origin's is, the bytes decide.
  const hidden = given === null && response.type === "cors";
  if (!hidden && !(same && (length === undefined || total === "*" || Number(total) === length))) {
    throw new ResponseError("content-range", response, `have Content-Range ${wanted}`, given ?? "none");
  }
  const tag = headers.get("etag");
  if (etag !== undefined && tag !== etag) throw new ResponseError("etag", response, `have ETag ${etag}`, tag ?? "none");
  if (body) return body as ReadableStream<Uint8Array<ArrayBuffer>>;
  throw new ResponseError("body", response, "have a body", "none");
}

/** Content of no bytes, which no Range can ask for: its root alone says that it is right. */
function emptyContent(name: string, tree: Outboard, range: ContentRange): ReadableStream<Uint8Array<ArrayBuffer>> {
  rangeVerifier(name, tree, range, () => {}).end();
  return new ReadableStream({ start: (controller) => controller.close() });
}

interface Verifier {
  push(bytes: Uint8Array): void;
  end(): void;
  dispose(): void;
}

/** Reads the body as its own reader asks, and gives what has been verified. A body that is not read to its end is cancelled. */
function verifiedBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  verify: (give: (bytes: Uint8Array<ArrayBuffer>) => void) => Verifier,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  let target: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  let given: boolean;
  const verifier = verify((bytes) => {
    given = true;
    target.enqueue(bytes);
  });
  const fail = (error: unknown): never => {
    verifier.dispose();
    reader.cancel(error).catch(() => {});
    throw error;
  };
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        target = controller;
      },
      async pull() {
        for (given = false; !given; ) {
          try {
            const { done, value } = await reader.read();
            if (done) {
              verifier.end();
              target.close();
              return;
            }
            verifier.push(toBytes("fetchVerified", "chunk", value));
          } catch (error) {
            fail(error);
          }
        }
      },
      cancel(reason) {
        verifier.dispose();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
