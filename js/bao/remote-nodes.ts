// The nodes of a remote outboard, which are fetched as the content arrives.
import { wrongKind } from "../input/errors.js";
import { isUrl } from "../input/globals.js";
import { IntegrityError } from "./errors.js";
import { HEADER, layoutOf, type OutboardFormat, readLength } from "./order.js";
import { type NodeRun, Outboard, type Shape, toLayout } from "./outboard.js";
import { bytesOf, nodesOver, roundedRange } from "./range.js";
import { acceptPart, ask, type Requests, readExactly, type Url } from "./responses.js";
import type { ContentRange, Span } from "./selection.js";

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

/** @param signal ends the request, instead of the caller's */
type FetchPart = (span: Span, signal?: AbortSignal) => Promise<Uint8Array<ArrayBuffer>>;

/** The number of groups whose nodes are fetched at once: half a MiB of nodes. */
const GROUPS_AHEAD = 8192;

/**
 * The nodes that a range needs of a remote outboard, for a number of groups at a time. The length may be the claim of a header,
 * so that nothing is computed or allocated for all of it.
 */
export class RemoteNodes implements NodesAhead {
  readonly outboard: Outboard;
  /** The nodes that are here. Those above them have been opened, and are not needed again. */
  readonly #runs: NodeRun[] = [];
  readonly #header: number;
  readonly #part: FetchPart;
  /** The groups whose nodes have not been fetched. */
  #rest: Span;
  #isFirst = true;
  readonly #stop = new AbortController();

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
    // The stream that reads the content heeds the caller's, and is there once the first nodes are.
    const signal = this.#isFirst ? undefined : this.#stop.signal;
    for (const [i, span] of bytesOf(numbers, this.#header).entries()) {
      runs.push({ first: (numbers[i] as Span).start, bytes: await this.#part(span, signal) });
    }
    this.#runs.splice(0, this.#runs.length, ...runs);
    this.#rest = { start: end, end: last };
    this.#isFirst = false;
  }

  stop(): void {
    this.#stop.abort();
  }
}

/** Fetches parts of one resource, whose ETag must not change in between. */
function partFetcher(name: string, url: Url, requests: Requests): FetchPart {
  let etag: string | undefined;
  return async (span, signal = requests.signal) => {
    const response = await ask(name, url, `bytes=${span.start}-${span.end - 1}`, { ...requests, signal });
    const body = acceptPart(response, span, undefined, etag);
    etag = response.headers.get("etag") ?? undefined;
    return readExactly(name, body, span.end - span.start, signal);
  };
}

export function requireUrl(name: string, argument: string, url: unknown): asserts url is Url {
  if (typeof url !== "string" && !isUrl(url)) throw wrongKind(name, argument, "a string or a URL", url);
}
