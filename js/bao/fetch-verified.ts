// Fetches a verified range of a resource from an untrusted server.
import { type Input, toView } from "../input/bytes.js";
import { requireArguments, wrongKind } from "../input/errors.js";
import { readGlobal } from "../input/globals.js";
import { requireKnown } from "../input/options.js";
import { equal } from "../input/text.js";
import { groupsIn } from "../tree/geometry.js";
import { toFormat, toGroup, toPosition, toRoot } from "./arguments.js";
import { IntegrityError } from "./errors.js";
import { FORMATS, HEADER, layoutOf, type OutboardFormat, readLength } from "./format.js";
import { type NodeRun, Outboard, runOf } from "./outboard.js";
import type { ContentRange, Span } from "./ranges.js";
import { bytesOf, nodesOver, RangeVerifier, rangeOf } from "./verified-range.js";

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
 * Fetches a range of a resource with one `Range` request, from an untrusted server, and streams the bytes as
 * they are verified. If the outboard is remote as well, its nodes over the next 8192 groups are fetched before the content of
 * these groups is read, with one request for each run of nodes. However long the content is, or is said to be, the nodes of
 * at most 8192 groups are in memory.
 *
 * @returns a stream of verified bytes. It fails with an {@link IntegrityError} at the first wrong group (`reason` is
 *   `"bytes"`), and if the body is shorter or longer than requested (`"truncated"`, `"trailing"`). The output up to then is
 *   correct and can be kept. The promise rejects with a {@link ResponseError} for a response whose status is not 206 (a 200
 *   sends everything from the beginning), whose `Content-Range` is not the requested one, or whose `ETag` differs from `etag`
 *   or from that of the outboard's other parts; with an IntegrityError for a remote outboard whose first nodes are wrong or
 *   missing (the stream fails with one for later nodes); with the error of `fetch`; and with a TypeError or RangeError for a wrong argument
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
  const { outboard, start, end, etag, signal, fetch = readGlobal(() => globalThis.fetch) } = options;
  const root = toRoot(name, options.root);
  if (typeof fetch !== "function") throw wrongKind(name, "fetch", "a function", fetch);
  if (etag !== undefined && typeof etag !== "string") throw wrongKind(name, "etag", "a string", etag);
  signal?.throwIfAborted();
  const ask: Ask = async (address, range) => {
    signal?.throwIfAborted();
    return fetch(address, { headers: { Range: range }, ...(signal && { signal }) });
  };
  const range = { start, end };
  const nodes = await toNodes(name, outboard, root, range, ask);
  const tree = nodes.outboard;
  const rounded = rangeOf(tree, range);
  if (tree.length === 0) return emptyContent(name, tree, range);
  const response = await ask(url, rounded.header);
  const body = acceptPart(response, rounded, tree.length, etag);
  return verifiedBody(body, nodes, rounded.start, (give) => new RangeVerifier(name, tree, range, give));
}

/** The nodes of an outboard, which may arrive while the content is verified. */
interface NodesAhead {
  readonly outboard: Outboard;
  /** The offset in the content up to which the nodes are here; infinite once no more are needed. */
  readonly end: number;
  /** Fetches the nodes of what follows. */
  next(): Promise<void>;
}

async function toNodes(
  name: string,
  outboard: Outboard | RemoteOutboard,
  root: Uint8Array<ArrayBuffer>,
  range: ContentRange,
  ask: Ask,
): Promise<NodesAhead> {
  if (outboard instanceof Outboard) {
    if (equal(outboard.root, root)) return { outboard, end: Number.POSITIVE_INFINITY, next: async () => {} };
    throw new RangeError(`${name}: outboard must have the root that is given, got one of another`);
  }
  if (typeof outboard !== "object" || outboard === null) {
    throw wrongKind(name, "outboard", "an Outboard or { url, length, group, format }", outboard);
  }
  requireKnown(name, outboard, ["url", "length", "group", "format"]);
  return RemoteNodes.open(name, outboard, root, range, ask);
}

type FetchPart = (span: Span) => Promise<Uint8Array<ArrayBuffer>>;

/** The number of groups whose nodes are fetched at once: half a MiB of nodes. */
const GROUPS_AHEAD = 8192;

/**
 * The nodes that a range needs of a remote outboard, for a number of groups at a time. The length may be the claim of a header,
 * so that nothing is computed or allocated for all of it.
 */
class RemoteNodes implements NodesAhead {
  readonly outboard: Outboard;
  /** The nodes that are here. Those above them have been opened, and are not needed again. */
  readonly #runs: NodeRun[] = [];
  readonly #header: number;
  readonly #part: FetchPart;
  /** The groups whose nodes have not been fetched. */
  #rest: Span;
  #isFirst = true;

  static async open(
    name: string,
    remote: RemoteOutboard,
    root: Uint8Array<ArrayBuffer>,
    range: ContentRange,
    ask: Ask,
  ): Promise<RemoteNodes> {
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
    const { start, end } = rangeOf({ length, group }, range);
    const nodes = new RemoteNodes(
      { root, length, group },
      format,
      { start: start / group, end: Math.ceil(end / group) },
      part,
    );
    await nodes.next();
    nodes.#open(name, range);
    return nodes;
  }

  private constructor(
    shape: { readonly root: Uint8Array<ArrayBuffer>; readonly length: number; readonly group: number },
    format: OutboardFormat,
    groups: Span,
    part: FetchPart,
  ) {
    const { header, order } = layoutOf(format);
    this.outboard = Outboard.ofRuns(shape, order, this.#runs);
    this.#header = header;
    this.#part = part;
    this.#rest = groups;
  }

  /** Verifies the nodes down to the first group, so that no content is requested by the length of a wrong header. */
  #open(name: string, range: ContentRange): void {
    const verifier = new RangeVerifier(name, this.outboard, range, () => {});
    try {
      verifier.push(new Uint8Array());
    } finally {
      verifier.dispose();
    }
  }

  get end(): number {
    const { start, end } = this.#rest;
    return start < end ? start * this.outboard.group : Number.POSITIVE_INFINITY;
  }

  async next(): Promise<void> {
    const { start, end: last } = this.#rest;
    // The end is a multiple, so that the nodes of the next groups are few runs.
    const end = last - start <= GROUPS_AHEAD ? last : (Math.floor(start / GROUPS_AHEAD) + 1) * GROUPS_AHEAD;
    const { outboard } = this;
    const numbers = nodesOver(groupsIn(outboard.length, outboard.group), outboard.order, { start, end }, this.#isFirst);
    const runs: NodeRun[] = [];
    for (const [i, span] of bytesOf(numbers, this.#header).entries()) {
      runs.push(runOf((numbers[i] as Span).start, await this.#part(span)));
    }
    this.#runs.splice(0, this.#runs.length, ...runs);
    this.#rest = { start: end, end: last };
    this.#isFirst = false;
  }
}

/** Fetches parts of one resource, whose ETag must not change in between. */
function partFetcher(name: string, url: string | URL, ask: Ask): FetchPart {
  let etag: string | undefined;
  return async (span) => {
    const response = await ask(url, `bytes=${span.start}-${span.end - 1}`);
    const body = acceptPart(response, span, undefined, etag);
    etag = response.headers.get("etag") ?? undefined;
    return readExactly(name, body, span.end - span.start);
  };
}

/** Reads a body of known length, and stops if it is longer. */
async function readExactly(
  name: string,
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  const reader = body.getReader();
  for (let at = 0; ; ) {
    const { done, value } = await reader.read();
    if (done && at < length) throw new IntegrityError(name, "truncated", 0);
    if (done) return bytes;
    const chunk = toView(name, "chunk", value);
    if (at + chunk.length > length) {
      reader.cancel().catch(() => {});
      throw new IntegrityError(name, "trailing", 0);
    }
    bytes.set(chunk, at);
    at += chunk.length;
  }
}

/** Returns the body, after checking that it is the requested part. */
function acceptPart(
  response: Response,
  { start, end }: Span,
  length: number | undefined,
  etag: string | undefined,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { status, headers, body } = response;
  const refuse = (reason: ResponseReason, must: string, got: unknown): never => {
    // Nobody will read the body: this frees the connection.
    body?.cancel().catch(() => {});
    throw new ResponseError(reason, response, must, got);
  };
  if (status !== 206) {
    refuse("status", "have status 206", status === 200 ? "200: the server sends all of the content" : status);
  }
  const given = headers.get("content-range");
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(given ?? "") ?? [];
  const same = Number(first) === start && Number(last) === end - 1;
  // A response from another origin may hide the header; then only the bytes are checked.
  const hidden = given === null && response.type === "cors";
  if (!hidden && !(same && (length === undefined || total === "*" || Number(total) === length))) {
    refuse("content-range", `have Content-Range bytes ${start}-${end - 1}/${length ?? "…"}`, given ?? "none");
  }
  const tag = headers.get("etag");
  if (etag !== undefined && tag !== etag) refuse("etag", `have ETag ${etag}`, tag ?? "none");
  return (body ?? refuse("body", "have a body", "none")) as ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Empty content, which no Range can request. Its root alone verifies it. */
function emptyContent(name: string, tree: Outboard, range: ContentRange): ReadableStream<Uint8Array<ArrayBuffer>> {
  new RangeVerifier(name, tree, range, () => {}).end();
  return new ReadableStream({ start: (controller) => controller.close() });
}

/**
 * Reads the body as its reader asks for it, as far as the nodes reach, and passes on verified bytes. Cancels a body that is not
 * read to its end.
 *
 * @param position the offset in the content of the body's first byte
 */
function verifiedBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  nodes: NodesAhead,
  position: number,
  verify: (give: (bytes: Uint8Array<ArrayBuffer>) => void) => RangeVerifier,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  let target: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  let given: boolean;
  /** The part of a chunk that has no nodes yet. */
  let rest: Uint8Array = new Uint8Array();
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
            if (position === nodes.end) await nodes.next();
            if (rest.length === 0) {
              const { done, value } = await reader.read();
              if (done) {
                verifier.end();
                target.close();
                return;
              }
              rest = toView("fetchVerified", "chunk", value);
            }
            const part = rest.subarray(0, nodes.end - position);
            rest = rest.subarray(part.length);
            position += part.length;
            verifier.push(part);
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
