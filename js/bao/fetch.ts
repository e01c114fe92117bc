// Fetches a verified range of a resource from an untrusted server.
import { type Input, toView } from "../input/bytes.js";
import { requireArguments, wrongKind } from "../input/errors.js";
import { isUrl, readGlobal } from "../input/globals.js";
import { requireKnown } from "../input/options.js";
import { requireSignal } from "../input/signals.js";
import { equal } from "../input/text.js";
import { toFormat, toGroup, toPosition, toRoot } from "./arguments.js";
import { IntegrityError } from "./errors.js";
import { FORMATS, HEADER, layoutOf, type OutboardFormat, readLength } from "./order.js";
import { type NodeRun, notOutboard, Outboard, type Shape } from "./outboard.js";
import { bytesOf, nodesOver, rangeReader, roundedRange } from "./range.js";
import { acceptPart, ask, type Body, type Requests, readExactly, type Url } from "./responses.js";
import { type ContentRange, type Span, toSpans } from "./selection.js";
import { type Taker, Window } from "./window.js";

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
  /** Aborts the requests and the stream, with its reason, and cancels the body, even if `fetch` ignores it. */
  readonly signal?: AbortSignal | undefined;
  /** The runtime's `fetch` by default. */
  readonly fetch?: ((url: string | URL, init: RequestInit) => Promise<Response>) | undefined;
}

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
 *   missing (the stream fails with one for later nodes); with the error of `fetch`; with the signal's reason; and with a
 *   TypeError or RangeError for a wrong argument, before anything is requested, or for something else than a Response
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
  requireUrl(name, "url", url);
  requireSignal(name, signal);
  if (typeof fetch !== "function") throw wrongKind(name, "fetch", "a function", fetch);
  if (etag !== undefined && typeof etag !== "string") throw wrongKind(name, "etag", "a string", etag);
  const range = { start, end };
  toSpans(name, range);
  const requests = { fetch, signal };
  signal?.throwIfAborted();
  const nodes = await toNodes(name, outboard, root, range, requests);
  const tree = nodes.outboard;
  const rounded = roundedRange(name, tree, range);
  const source = new VerifiedSource(name, rangeReader(name, tree, range), nodes, rounded.start, signal);
  if (tree !== outboard) source.open();
  if (tree.length === 0) return source.empty();
  const response = await ask(name, url, rounded.header, requests);
  return source.of(acceptPart(response, rounded, tree.length, etag));
}

function requireUrl(name: string, argument: string, url: unknown): asserts url is Url {
  if (typeof url !== "string" && !isUrl(url)) throw wrongKind(name, argument, "a string or a URL", url);
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
  requests: Requests,
): Promise<NodesAhead> {
  if (outboard instanceof Outboard) {
    if (equal(outboard.root, root)) return { outboard, end: Number.POSITIVE_INFINITY, next: async () => {} };
    throw new RangeError(`${name}: outboard has a different root`);
  }
  if (typeof outboard !== "object" || outboard === null || "toBytes" in outboard) {
    throw notOutboard(name, "an Outboard or { url, length, group, format }", outboard);
  }
  requireKnown(name, outboard, ["url", "length", "group", "format"]);
  return RemoteNodes.open(name, outboard, root, range, requests);
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
    requests: Requests,
  ): Promise<RemoteNodes> {
    const format = toFormat(name, remote.format, FORMATS, "bao");
    const group = toGroup(name, remote.group);
    if (remote.length === undefined && format !== "bao") {
      throw wrongKind(name, `outboard.length, with format ${JSON.stringify(format)},`, "a number", undefined);
    }
    const known = remote.length === undefined ? undefined : toPosition(name, "outboard.length", remote.length);
    const { url } = remote;
    requireUrl(name, "outboard.url", url);
    const part = partFetcher(name, url, requests);
    const length = known ?? readLength(name, await part({ start: 0, end: HEADER }));
    // If the claimed length is too short for the range, the server is wrong, not the caller.
    if (known === undefined && range.start !== undefined && range.start > length) {
      throw new IntegrityError(name, "length", 0);
    }
    const nodes = new RemoteNodes({ root, length, group }, format, roundedRange(name, { length, group }, range), part);
    await nodes.next();
    return nodes;
  }

  private constructor(shape: Shape, format: OutboardFormat, groups: Span, part: FetchPart) {
    const { header, order } = layoutOf(format);
    this.outboard = Outboard.ofRuns(shape, order, this.#runs);
    this.#header = header;
    this.#part = part;
    this.#rest = groups;
  }

  get end(): number {
    const { start, end } = this.#rest;
    return start < end ? start : Number.POSITIVE_INFINITY;
  }

  async next(): Promise<void> {
    const { start, end: last } = this.#rest;
    const { outboard } = this;
    // The end is a multiple, so that the nodes of the next groups are few runs.
    const ahead = GROUPS_AHEAD * outboard.group;
    const end = last - start <= ahead ? last : (Math.floor(start / ahead) + 1) * ahead;
    const numbers = nodesOver(outboard, outboard.order, { start, end }, this.#isFirst);
    const runs: NodeRun[] = [];
    for (const [i, span] of bytesOf(numbers, this.#header).entries()) {
      runs.push({ first: (numbers[i] as Span).start, bytes: await this.#part(span) });
    }
    this.#runs.splice(0, this.#runs.length, ...runs);
    this.#rest = { start: end, end: last };
    this.#isFirst = false;
  }
}

/** Fetches parts of one resource, whose ETag must not change in between. */
function partFetcher(name: string, url: Url, requests: Requests): FetchPart {
  let etag: string | undefined;
  return async (span) => {
    const response = await ask(name, url, `bytes=${span.start}-${span.end - 1}`, requests);
    const body = acceptPart(response, span, undefined, etag);
    etag = response.headers.get("etag") ?? undefined;
    return readExactly(name, body, span.end - span.start, requests.signal);
  };
}

/** Verified content, which is read from a body as a reader asks for it, and as far as the nodes reach. */
class VerifiedSource implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #name: string;
  readonly #nodes: NodesAhead;
  readonly #signal: AbortSignal | undefined;
  readonly #window: Window;
  /** The offset in the content of the next byte of the body. */
  #position: number;
  #reader!: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  #target!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  /** The part of a chunk that has no nodes yet. */
  #rest: Uint8Array = new Uint8Array();
  #hasGiven = false;
  #isOver = false;

  constructor(name: string, taker: Taker, nodes: NodesAhead, position: number, signal: AbortSignal | undefined) {
    this.#name = name;
    this.#nodes = nodes;
    this.#signal = signal;
    this.#position = position;
    this.#window = new Window(taker, (bytes) => {
      this.#hasGiven = true;
      this.#target.enqueue(bytes);
    });
  }

  /** Verifies the nodes down to the first group, so that no content is requested by the length of a wrong header. */
  open(): void {
    try {
      this.#window.push(new Uint8Array());
    } finally {
      this.#window.dispose();
    }
  }

  /** Returns empty content, which no Range can request. Its root alone verifies it. */
  empty(): Body {
    this.#window.end();
    return new ReadableStream({ start: (controller) => controller.close() });
  }

  /** Returns the content of a body. Cancels one that is not read to its end. */
  of(body: Body): Body {
    this.#reader = body.getReader();
    this.#signal?.addEventListener("abort", this.#abort, { once: true });
    return new ReadableStream(this, { highWaterMark: 0 });
  }

  start(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
    this.#target = controller;
  }

  pull(): Promise<void> {
    return this.#pump().catch((error) => this.#fail(error));
  }

  cancel(reason: unknown): Promise<void> {
    this.#end();
    return this.#reader.cancel(reason);
  }

  async #pump(): Promise<void> {
    for (this.#hasGiven = false; !this.#hasGiven; ) {
      if (this.#position === this.#nodes.end) await this.#nodes.next();
      const read = this.#rest.length === 0 ? await this.#reader.read() : undefined;
      // Failed or cancelled meanwhile.
      if (this.#isOver) return;
      if (read?.done) {
        this.#window.end();
        this.#end();
        this.#target.close();
        return;
      }
      if (read) this.#rest = toView(this.#name, "chunk", read.value);
      const part = this.#rest.subarray(0, this.#nodes.end - this.#position);
      this.#rest = this.#rest.subarray(part.length);
      this.#position += part.length;
      this.#window.push(part);
    }
  }

  #end(): void {
    this.#isOver = true;
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#window.dispose();
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#end();
    this.#reader.cancel(error).catch(() => {});
    this.#target.error(error);
  }

  readonly #abort = (): void => this.#fail(this.#signal?.reason);
}
