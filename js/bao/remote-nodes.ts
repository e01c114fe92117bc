// Fetches the nodes of a remote outboard as the content arrives.
import { wrongKind } from "../input/errors.js";
import { isUrl } from "../input/globals.js";
import { onAbort } from "../input/signals.js";
import { NODE } from "../tree/geometry.js";
import { IntegrityError } from "./errors.js";
import { HEADER, layoutOf, type OutboardFormat, readLength } from "./order.js";
import { type NodeRun, Outboard, requireSize, type Shape, toLayout } from "./outboard.js";
import { bytesOf, nodesOver, roundedRange } from "./range.js";
import { type Requests, readExactly, requestRange, requirePart, type Url } from "./responses.js";
import { type ContentRange, type Span, unite } from "./selection.js";

/**
 * An outboard on a server. One of up to 1 MiB is fetched whole unless its `length` is given, others as far as the range
 * needs.
 */
export interface RemoteOutboard {
  /** The URL of the outboard. */
  readonly url: string | URL;
  /**
   * The length of the content in bytes. It may be omitted for the format `"bao"`, whose header contains it; if it is
   * given, only the nodes that the range needs are fetched.
   */
  readonly length?: number | undefined;
  /** Bytes in a group; 16384 by default. */
  readonly group?: number | undefined;
  /** `"bao"` by default. */
  readonly format?: OutboardFormat | undefined;
}

/** Fetches the nodes that a range needs, some ahead of the content. */
export interface NodeFetcher {
  readonly outboard: Outboard;
  /** The offset in the content up to which the nodes are here; infinite once no more are needed. */
  readonly end: number;
  /** Fetches the nodes of what follows. */
  next(): Promise<void>;
  /** Aborts requests for nodes. */
  stop(): void;
}

/** The number of groups whose nodes are fetched at once: half a MiB of nodes. */
const GROUPS_AHEAD = 8192;

/** Bytes of an outboard that are fetched with its header, in one round trip: those of 16384 groups, not quite 1 MiB. */
const PREFIX = HEADER + 16383 * NODE;

/** Runs of nodes with at most this many nodes between them, less than 64 KiB, are one request. */
const MAX_GAP = 1023;

/**
 * Fetches the first nodes that a range needs. The length may be a header's claim, so nothing is computed or allocated
 * for all of it.
 */
export async function openRemote(
  name: string,
  remote: RemoteOutboard,
  root: Uint8Array<ArrayBuffer>,
  range: ContentRange,
  requests: Requests,
): Promise<NodeFetcher> {
  const { length: known, group, format } = toLayout(name, "outboard.", remote);
  const { url } = remote;
  requireUrl(name, "outboard.url", url);
  const resource = resourceAt(name, url, requests);
  const prefix = known === undefined ? await resource.part({ start: 0, end: PREFIX }, true) : NONE;
  const length = known ?? readLength(name, prefix);
  // If the claimed length is too short for the range, the server is wrong, not the caller.
  if (known === undefined && range.start !== undefined && range.start > length) {
    throw new IntegrityError(name, "length", 0);
  }
  if (known === undefined) requireSize(name, prefix.length, { length, group, header: HEADER }, 0, PREFIX);
  const groups = roundedRange(name, { length, group }, range);
  const nodes = nodeFetcher({ root, length, group }, format, groups, prefix.subarray(HEADER), resource);
  // Later, the stream that reads the content listens to the caller's signal.
  const forget = onAbort(requests.signal, (reason) => resource.stop(reason));
  try {
    await nodes.next();
    return nodes;
  } finally {
    forget();
  }
}

/** @param prefix the first nodes in the outboard, which are kept */
function nodeFetcher(
  shape: Shape,
  format: OutboardFormat,
  groups: Span,
  prefix: Uint8Array<ArrayBuffer>,
  resource: Resource,
): NodeFetcher {
  const { header, order } = layoutOf(format);
  const first: NodeRun = { first: 0, bytes: prefix };
  /** The nodes that are here. Those above them have been opened, and are not needed again. */
  const runs: NodeRun[] = [];
  /** Where the groups begin whose nodes have not been fetched. */
  let at = groups.start;
  return {
    outboard: Outboard.ofRuns(shape, order, runs),
    get end() {
      return at < groups.end ? at : Number.POSITIVE_INFINITY;
    },
    async next() {
      // The end is a multiple, so that the nodes of the next groups are few runs.
      const ahead = GROUPS_AHEAD * shape.group;
      const end = groups.end - at <= ahead ? groups.end : (Math.floor(at / ahead) + 1) * ahead;
      const numbers = nodesOver(shape, order, { start: at, end }, at === groups.start);
      const missing = unite(after(Math.floor(prefix.length / NODE), numbers), MAX_GAP);
      const parts = bytesOf(missing, header).map((span) => resource.part(span));
      try {
        const bytes = await Promise.all(parts);
        const fetched = missing.map(({ start }, i) => ({ first: start, bytes: bytes[i] as Uint8Array<ArrayBuffer> }));
        runs.splice(0, runs.length, first, ...fetched);
      } catch (error) {
        resource.stop(error);
        throw error;
      }
      at = end;
    },
    stop: () => resource.stop(),
  };
}

const NONE = /* @__PURE__ */ new Uint8Array();

/** Returns the parts of spans, in order, from a number on. */
function after(number: number, spans: readonly Span[]): Span[] {
  return spans.filter(({ end }) => end > number).map(({ start, end }) => ({ start: Math.max(start, number), end }));
}

/** A resource of which parts are fetched. */
interface Resource {
  /** @param mayEnd whether the resource may end within the span, which is then the caller's first request */
  part(span: Span, mayEnd?: boolean): Promise<Uint8Array<ArrayBuffer>>;
  /** Aborts the requests. */
  stop(reason?: unknown): void;
}

/** Requires the same ETag of all parts. */
function resourceAt(name: string, url: Url, requests: Requests): Resource {
  const controller = new AbortController();
  let etag: string | undefined;
  return {
    async part(span, mayEnd = false) {
      const { start, end } = span;
      const signal = mayEnd ? requests.signal : controller.signal;
      const response = await requestRange(name, url, `bytes=${start}-${end - 1}`, { ...requests, signal });
      const body = requirePart(response, span, undefined, etag, mayEnd);
      etag = response.headers.get("etag") ?? undefined;
      return readExactly(name, body, end - start, signal, mayEnd);
    },
    stop: (reason) => controller.abort(reason),
  };
}

export function requireUrl(name: string, argument: string, url: unknown): asserts url is Url {
  if (typeof url !== "string" && !isUrl(url)) throw wrongKind(name, argument, "a string or a URL", url);
}
