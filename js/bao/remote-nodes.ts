// The nodes of a remote outboard, which are fetched as the content arrives.
import { wrongKind } from "../input/errors.js";
import { isUrl } from "../input/globals.js";
import { OwnPromise } from "../input/promises.js";
import { onAbort } from "../input/signals.js";
import { NODE } from "../tree/geometry.js";
import { IntegrityError } from "./errors.js";
import { HEADER, layoutOf, type OutboardFormat, readLength } from "./order.js";
import { type NodeRun, Outboard, requireSize, type Shape, toLayout } from "./outboard.js";
import { bytesOf, nodesOver, roundedRange } from "./range.js";
import { acceptPart, ask, type Requests, readExactly, type Url } from "./responses.js";
import type { ContentRange, Span } from "./selection.js";

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

/** The nodes of an outboard, which may arrive while the content is verified. */
export interface NodesAhead {
  readonly outboard: Outboard;
  /** The offset in the content up to which the nodes are here; infinite once no more are needed. */
  readonly end: number;
  /** Fetches the nodes of what follows. */
  next(): Promise<void>;
  /** Ends the requests for those: nobody wants them any more. */
  stop(): void;
}

/** The number of groups whose nodes are fetched at once: half a MiB of nodes. */
const GROUPS_AHEAD = 8192;

/** Bytes of an outboard that are fetched with its header, in one round trip: those of 16384 groups, not quite 1 MiB. */
const PREFIX = HEADER + 16383 * NODE;

/** Runs of nodes with fewer nodes between them, 64 KiB, are one request. */
const GAP = 1024;

/**
 * The nodes that a range needs of a remote outboard, for a number of groups at a time. The length may be the claim of a
 * header, so that nothing is computed or allocated for all of it.
 */
export class RemoteNodes implements NodesAhead {
  readonly outboard: Outboard;
  /** The nodes that are here. Those above them have been opened, and are not needed again. */
  readonly #runs: NodeRun[] = [];
  /** The first nodes in the outboard, which stay. */
  readonly #prefix: NodeRun;
  readonly #header: number;
  readonly #resource: Resource;
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
    const { length: known, group, format } = toLayout(name, "outboard.", remote);
    const { url } = remote;
    requireUrl(name, "outboard.url", url);
    const resource = new Resource(name, url, requests);
    const prefix = known === undefined ? await resource.part({ start: 0, end: PREFIX }, true) : NONE;
    const length = known ?? readLength(name, prefix);
    // If the claimed length is too short for the range, the server is wrong, not the caller.
    if (known === undefined && range.start !== undefined && range.start > length) {
      throw new IntegrityError(name, "length", 0);
    }
    if (known === undefined) requireSize(name, prefix.length, { length, group, header: HEADER }, 0, PREFIX);
    const groups = roundedRange(name, { length, group }, range);
    const nodes = new RemoteNodes({ root, length, group }, format, groups, prefix.slice(HEADER), resource);
    // The stream that reads the content heeds the caller's signal, and is there once the first nodes are.
    const forget = onAbort(requests.signal, (reason) => resource.stop(reason));
    try {
      await nodes.next();
      return nodes;
    } finally {
      forget();
    }
  }

  private constructor(
    shape: Shape,
    format: OutboardFormat,
    groups: Span,
    prefix: Uint8Array<ArrayBuffer>,
    resource: Resource,
  ) {
    const { header, order } = layoutOf(format);
    this.outboard = Outboard.ofRuns(shape, order, this.#runs);
    this.#prefix = { first: 0, bytes: prefix };
    this.#header = header;
    this.#resource = resource;
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
    const missing = joined(after(Math.floor(this.#prefix.bytes.length / NODE), numbers));
    const parts = bytesOf(missing, this.#header).map((span) => this.#resource.part(span));
    try {
      const bytes = await OwnPromise.all(parts);
      const runs = missing.map(({ start: first }, i) => ({ first, bytes: bytes[i] as Uint8Array<ArrayBuffer> }));
      this.#runs.splice(0, this.#runs.length, this.#prefix, ...runs);
    } catch (error) {
      // The other requests, too.
      this.#resource.stop(error);
      throw error;
    }
    this.#rest = { start: end, end: last };
    this.#isFirst = false;
  }

  stop(): void {
    this.#resource.stop();
  }
}

const NONE = /* @__PURE__ */ new Uint8Array();

/** Returns the parts of spans, in order, from a number on. */
function after(number: number, spans: readonly Span[]): Span[] {
  return spans.filter(({ end }) => end > number).map(({ start, end }) => ({ start: Math.max(start, number), end }));
}

/** Returns runs of nodes, in order, with those that are near each other joined. */
function joined(runs: readonly Span[]): Span[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of runs) {
    const last = joined.at(-1);
    if (last && start - last.end < GAP) last.end = end;
    else joined.push({ start, end });
  }
  return joined;
}

/** A resource of which parts are fetched. Its ETag must not change in between. */
class Resource {
  readonly #name: string;
  readonly #url: Url;
  readonly #requests: Requests;
  readonly #stop = new AbortController();
  #etag: string | undefined;

  constructor(name: string, url: Url, requests: Requests) {
    this.#name = name;
    this.#url = url;
    this.#requests = requests;
  }

  /** @param mayEnd whether the resource may end within the span, which is then the caller's first request */
  async part(span: Span, mayEnd = false): Promise<Uint8Array<ArrayBuffer>> {
    const { start, end } = span;
    const signal = mayEnd ? this.#requests.signal : this.#stop.signal;
    const response = await ask(this.#name, this.#url, `bytes=${start}-${end - 1}`, { ...this.#requests, signal });
    const body = acceptPart(response, span, undefined, this.#etag, mayEnd);
    this.#etag = response.headers.get("etag") ?? undefined;
    return readExactly(this.#name, body, end - start, signal, mayEnd);
  }

  /** Ends the requests. */
  stop(reason?: unknown): void {
    this.#stop.abort(reason);
  }
}

export function requireUrl(name: string, argument: string, url: unknown): asserts url is Url {
  if (typeof url !== "string" && !isUrl(url)) throw wrongKind(name, argument, "a string or a URL", url);
}
