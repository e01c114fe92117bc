// Fetches a verified range of a resource from an untrusted server.
import { type Input, toView } from "../input/bytes.js";
import { requireArguments, wrongKind } from "../input/errors.js";
import { readGlobal } from "../input/globals.js";
import { requireKnown } from "../input/options.js";
import { onAbort, requireSignal } from "../input/signals.js";
import { equal } from "../input/text.js";
import { toRoot } from "./arguments.js";
import { notOutboard, Outboard } from "./outboard.js";
import { rangeReader, roundedRange } from "./range.js";
import { type NodeFetcher, openRemote, type RemoteOutboard, requireUrl } from "./remote-nodes.js";
import { type Body, type Requests, requestRange, requirePart } from "./responses.js";
import { type ContentRange, toSpans } from "./selection.js";
import { type StepReader, Window } from "./window.js";

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
 * Fetches a range of a resource from an untrusted server, with one `Range` request, and streams its bytes as they are
 * verified.
 *
 * A remote outboard is fetched first. One of up to 1 MiB, for 256 MiB of content in groups of 16 KiB, takes one
 * request. Of a longer one, the first MiB is fetched, and then the other nodes that the range needs, in parallel. If its
 * `length` is given, only these nodes are fetched. Nodes are fetched for at most 8192 groups at a time. They take at
 * most 2 MiB of memory.
 *
 * The stream fails with an {@link IntegrityError} at the first wrong group, at a wrong node, and if the body is shorter
 * or longer than requested. The output up to then is correct and can be kept.
 *
 * @returns a stream of verified bytes
 * @throws TypeError or RangeError for a wrong argument, before any request; ResponseError if the status is not 206, or
 *   if `Content-Range` or `ETag` is wrong; IntegrityError if the first nodes of a remote outboard are wrong or missing;
 *   the error of `fetch`; the signal's reason
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
  toSpans(name, { ...range, ranges: undefined });
  const requests = { fetch, signal };
  signal?.throwIfAborted();
  const nodes = await toNodes(name, outboard, root, range, requests);
  const tree = nodes.outboard;
  const rounded = roundedRange(name, tree, range);
  const source = verifiedSource(name, rangeReader(name, tree, range), nodes, rounded.start, signal);
  if (tree !== outboard) source.open();
  if (tree.length === 0) return source.empty();
  const response = await requestRange(name, url, rounded.header, requests);
  return source.of(requirePart(response, rounded, tree.length, etag));
}

async function toNodes(
  name: string,
  outboard: Outboard | RemoteOutboard,
  root: Uint8Array<ArrayBuffer>,
  range: ContentRange,
  requests: Requests,
): Promise<NodeFetcher> {
  if (outboard instanceof Outboard) {
    if (equal(outboard.root, root)) return { outboard, end: Number.POSITIVE_INFINITY, next: async () => {}, stop() {} };
    throw new RangeError(`${name}: outboard has a different root`);
  }
  if (typeof outboard !== "object" || outboard === null || "toBytes" in outboard) {
    throw notOutboard(name, "an Outboard or { url, length, group, format }", outboard);
  }
  requireKnown(name, outboard, ["url", "length", "group", "format"]);
  return openRemote(name, outboard, root, range, requests);
}

/** Verifies a body as its content is asked for, and fetches nodes before the content under them. */
interface VerifiedSource {
  /** Verifies the nodes down to the first group, so that no content is requested by the length of a wrong header. */
  open(): void;
  /** Returns empty content, which no Range can request. The root verifies it. */
  empty(): Body;
  /** Returns the content of a body. Cancels one that is not read to its end. */
  of(body: Body): Body;
}

/** @param start the offset in the content of the first byte of the body */
function verifiedSource(
  name: string,
  steps: StepReader,
  nodes: NodeFetcher,
  start: number,
  signal: AbortSignal | undefined,
): VerifiedSource {
  let target: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  let reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  let position = start;
  /** The part of a chunk whose nodes have not been fetched. */
  let rest: Uint8Array = new Uint8Array();
  let forgetSignal = (): void => {};
  let hasGiven = false;
  let isOver = false;
  const window = new Window(steps, (bytes) => {
    hasGiven = true;
    target.enqueue(bytes);
  });

  async function pump(): Promise<void> {
    for (hasGiven = false; !hasGiven; ) {
      if (position === nodes.end) await nodes.next();
      const read = rest.length === 0 ? await reader.read() : undefined;
      // Failed or cancelled meanwhile.
      if (isOver) return;
      if (read?.done) {
        window.end();
        finish();
        target.close();
        return;
      }
      if (read) rest = toView(name, "chunk", read.value);
      const part = rest.subarray(0, nodes.end - position);
      rest = rest.subarray(part.length);
      position += part.length;
      window.push(part);
    }
  }

  function finish(): void {
    isOver = true;
    forgetSignal();
    window.dispose();
    nodes.stop();
  }

  function fail(error: unknown): void {
    if (isOver) return;
    finish();
    Promise.resolve()
      .then(() => reader.cancel(error))
      .catch(() => {});
    target.error(error);
  }

  const source: UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> = {
    start(controller) {
      target = controller;
    },
    pull: () => pump().catch(fail),
    cancel(reason) {
      finish();
      return reader.cancel(reason);
    },
  };
  return {
    open() {
      try {
        window.push(new Uint8Array());
      } finally {
        window.dispose();
      }
    },
    empty() {
      window.end();
      return new ReadableStream({ start: (controller) => controller.close() });
    },
    of(body) {
      reader = body.getReader();
      const stream = new ReadableStream(source, { highWaterMark: 0 });
      forgetSignal = onAbort(signal, fail);
      return stream;
    },
  };
}
