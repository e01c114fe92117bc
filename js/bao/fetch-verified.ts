// Fetches a verified range of a resource from an untrusted server.
import { type Input, toView } from "../input/bytes.js";
import { requireArguments, wrongKind } from "../input/errors.js";
import { isUrl, readGlobal } from "../input/globals.js";
import { requireKnown } from "../input/options.js";
import { requireSignal } from "../input/signals.js";
import { equal } from "../input/text.js";
import { groupsIn } from "../tree/geometry.js";
import { toFormat, toGroup, toPosition, toRoot } from "./arguments.js";
import { IntegrityError } from "./errors.js";
import { FORMATS, HEADER, layoutOf, type OutboardFormat, readLength } from "./format.js";
import { type NodeRun, notOutboard, Outboard, runOf } from "./outboard.js";
import { type ContentRange, type Span, toSpans } from "./ranges.js";
import { acceptPart, ask, type Body, type Requests, readExactly, type Url } from "./responses.js";
import { bytesOf, nodesOver, RangeVerifier, roundedRange } from "./verified-range.js";

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
  if (tree.length === 0) return emptyContent(name, tree, range);
  const response = await ask(name, url, rounded.header, requests);
  const body = acceptPart(response, rounded, tree.length, etag);
  return verifiedBody(body, signal, nodes, rounded.start, (give) => new RangeVerifier(name, tree, range, give));
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
    throw new RangeError(`${name}: outboard must have the root that is given, got one of another`);
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
    const { start, end } = roundedRange(name, { length, group }, range);
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
function partFetcher(name: string, url: Url, requests: Requests): FetchPart {
  let etag: string | undefined;
  return async (span) => {
    const response = await ask(name, url, `bytes=${span.start}-${span.end - 1}`, requests);
    const body = acceptPart(response, span, undefined, etag);
    etag = response.headers.get("etag") ?? undefined;
    return readExactly(name, body, span.end - span.start, requests.signal);
  };
}

/** Empty content, which no Range can request. Its root alone verifies it. */
function emptyContent(name: string, tree: Outboard, range: ContentRange): Body {
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
  body: Body,
  signal: AbortSignal | undefined,
  nodes: NodesAhead,
  position: number,
  verify: (give: (bytes: Uint8Array<ArrayBuffer>) => void) => RangeVerifier,
): Body {
  const reader = body.getReader();
  let target: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  let given: boolean;
  let isOver = false;
  /** The part of a chunk that has no nodes yet. */
  let rest: Uint8Array = new Uint8Array();
  const verifier = verify((bytes) => {
    given = true;
    target.enqueue(bytes);
  });
  const end = (): void => {
    isOver = true;
    signal?.removeEventListener("abort", abort);
    verifier.dispose();
  };
  const fail = (error: unknown): void => {
    if (isOver) return;
    end();
    reader.cancel(error).catch(() => {});
    target.error(error);
  };
  const abort = (): void => fail(signal?.reason);
  const pull = async (): Promise<void> => {
    for (given = false; !given; ) {
      if (position === nodes.end) await nodes.next();
      const read = rest.length === 0 ? await reader.read() : undefined;
      // Failed or cancelled meanwhile.
      if (isOver) return;
      if (read?.done) {
        verifier.end();
        end();
        target.close();
        return;
      }
      if (read) rest = toView("fetchVerified", "chunk", read.value);
      const part = rest.subarray(0, nodes.end - position);
      rest = rest.subarray(part.length);
      position += part.length;
      verifier.push(part);
    }
  };
  signal?.addEventListener("abort", abort, { once: true });
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        target = controller;
      },
      pull: () => pull().catch(fail),
      cancel(reason) {
        end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
