// Fetches a verified range of a resource from an untrusted server.
import type { Input } from "../input/bytes.js";
import { requireArguments, wrongKind } from "../input/errors.js";
import { requireKnown } from "../input/options.js";
import { equal } from "../input/text.js";
import { toBytes, toFormat, toGroup, toPosition, toRoot } from "./arguments.js";
import { IntegrityError } from "./errors.js";
import { HEADER, readLength } from "./header.js";
import { FORMATS, Outboard, type OutboardFormat } from "./outboard.js";
import type { ContentRange, Span } from "./ranges.js";
import { nodesOf, rangeOf, rangeVerifier } from "./verified-range.js";

/** Why a response cannot be used: its status, its `Content-Range`, its `ETag`, or a missing body. */
export type ResponseReason = "status" | "content-range" | "etag" | "body";

/** A server's response is not the one that was requested, whatever bytes it has. */
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

/** An outboard on a server. Only the bytes that the range needs are fetched. */
export interface RemoteOutboard {
  /** The URL of the outboard. */
  readonly url: string | URL;
  /** The length of the content in bytes. It may be omitted for the format `"bao"`, whose header contains it. */
  readonly length?: number | undefined;
  /** Bytes in a group; 16384 by default. */
  readonly group?: number | undefined;
  /** `"bao"` by default. */
  readonly format?: OutboardFormat | undefined;
}

/** The options of `fetchVerified`. */
export interface FetchVerifiedOptions extends ContentRange {
  /** The BLAKE3 digest of the content: 32 bytes, or hexadecimal text. Only this has to be trusted. */
  readonly root: Input;
  /** The outboard of the content, from any source, or where to fetch it. */
  readonly outboard: Outboard | RemoteOutboard;
  /** The `ETag` that the resource must have, such as the one of an earlier response. */
  readonly etag?: string | undefined;
  /** Aborts the requests and the stream, with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** The runtime's `fetch` by default. */
  readonly fetch?: ((url: string | URL, init: RequestInit) => Promise<Response>) | undefined;
}

type Ask = (url: string | URL, range: string) => Promise<Response>;

/**
 * Fetches a range of a resource with one `Range` request, from a server that need not be trusted, and streams the bytes as
 * they are verified. If the outboard is remote as well, it is fetched first, with one request for each run of nodes.
 *
 * @returns a stream of verified bytes. It fails with an {@link IntegrityError} at the first wrong group (`reason` is
 *   `"bytes"`), and if the body is shorter or longer than requested (`"truncated"`, `"trailing"`). The output up to then is
 *   correct and can be kept. The promise rejects with a {@link ResponseError} for a response whose status is not 206 (a 200
 *   sends everything from the beginning), whose `Content-Range` is not the requested one, or whose `ETag` differs from `etag`
 *   or from that of the outboard's other parts; with an IntegrityError for a truncated outboard; with the error of `fetch`;
 *   and with a TypeError or RangeError for a wrong argument
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
  requireKnown(name, options, ["root", "outboard", "start", "end", "etag", "signal", "fetch"]);
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
  requireKnown(name, outboard, ["url", "length", "group", "format"]);
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
  // If the claimed length is too short for the range, the server is wrong, not the caller.
  if (known === undefined && range.start !== undefined && range.start > length) {
    throw new IntegrityError(name, "length", 0);
  }
  const spans = nodesOf({ length, group, format }, range);
  const parts = [];
  for (const span of spans) parts.push({ start: span.start, bytes: await part(span) });
  return Outboard.fromParts(parts, { root, length, group, format });
}

/** Fetches parts of one resource, whose ETag must not change in between. */
function partFetcher(name: string, url: string | URL, ask: Ask): (span: Span) => Promise<Uint8Array> {
  let etag: string | undefined;
  return async (span) => {
    const response = await ask(url, `bytes=${span.start}-${span.end - 1}`);
    const body = await acceptPart(response, span, undefined, etag);
    etag = response.headers.get("etag") ?? undefined;
    return readExactly(name, body, span.end - span.start);
  };
}

/** Reads a body of known length, and stops if it is longer. */
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

/** Returns the body, after checking that it is the requested part. */
async function acceptPart(
  response: Response,
  { start, end }: Span,
  length: number | undefined,
  etag: string | undefined,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  try {
    return requirePart(response, start, end, length, etag);
  } catch (error) {
    // Nobody will read the body: this frees the connection.
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
  // A response from another origin may hide the header; then only the bytes are checked.
  const hidden = given === null && response.type === "cors";
  if (!hidden && !(same && (length === undefined || total === "*" || Number(total) === length))) {
    throw new ResponseError("content-range", response, `have Content-Range ${wanted}`, given ?? "none");
  }
  const tag = headers.get("etag");
  if (etag !== undefined && tag !== etag) throw new ResponseError("etag", response, `have ETag ${etag}`, tag ?? "none");
  if (body) return body as ReadableStream<Uint8Array<ArrayBuffer>>;
  throw new ResponseError("body", response, "have a body", "none");
}

/** Empty content, which no Range can request. Its root alone verifies it. */
function emptyContent(name: string, tree: Outboard, range: ContentRange): ReadableStream<Uint8Array<ArrayBuffer>> {
  rangeVerifier(name, tree, range, () => {}).end();
  return new ReadableStream({ start: (controller) => controller.close() });
}

interface Verifier {
  push(bytes: Uint8Array): void;
  end(): void;
  dispose(): void;
}

/** Reads the body as its reader asks for it, and passes on verified bytes. Cancels a body that is not read to its end. */
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
