// Ranges of content: which chunks an encoding of them holds, and which bytes a decoder gives.
import { wrongKind } from "../input/errors.js";
import { requireOptions, toPosition } from "./arguments.js";
import { CHUNK, chunksIn } from "./tree.js";

/** A range of content, in bytes. */
export interface ContentRange {
  /** Its first byte, by default 0. */
  readonly start?: number | undefined;
  /** The byte after its last one, by default the content's end, and no further than that. */
  readonly end?: number | undefined;
}

/** What a stream covers: one range, or several. */
export interface ContentRanges extends ContentRange {
  /** Several ranges, in any order, instead of `start` and `end`. Bytes that two of them share come once. */
  readonly ranges?: readonly ContentRange[] | undefined;
}

/** From one number up to another one, which is not in it. */
export interface Span {
  /** The first byte. */
  readonly start: number;
  /** The byte after the last one. */
  readonly end: number;
}

/** @throws TypeError for a wrong kind of value; RangeError for one out of range, for an end before the start, for no range */
export function toSpans(name: string, { start, end, ranges }: ContentRanges): Span[] {
  if (ranges === undefined) return [toSpan(name, "", { start, end })];
  if (start !== undefined || end !== undefined) {
    throw new TypeError(`${name}: ranges and start or end exclude each other, got both`);
  }
  if (!Array.isArray(ranges)) throw wrongKind(name, "ranges", "an array of { start, end }", ranges);
  if (ranges.length === 0) throw new RangeError(`${name}: ranges must have at least one range, got none`);
  return ranges.map((range, i) => {
    requireOptions(`${name}: ranges[${i}]`, range, ["start", "end"]);
    return toSpan(name, `ranges[${i}].`, range);
  });
}

function toSpan(name: string, of: string, range: ContentRange): Span {
  const start = toPosition(name, `${of}start`, range.start, 0);
  const end = range.end === undefined ? Number.POSITIVE_INFINITY : toPosition(name, `${of}end`, range.end);
  if (start <= end) return { start, end };
  throw new RangeError(`${name}: ${of}end must be at least ${of}start, ${start}, got ${end}`);
}

/** Spans in their order, those that touch made one. */
function unite(spans: readonly Span[]): Span[] {
  const united: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = united.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else united.push({ start, end });
  }
  return united;
}

/** How much of a subtree is wanted. */
export type Cover = "none" | "some" | "all";

/** What of a message of known length is wanted. */
export class Selection {
  /** Bytes to be given. */
  readonly #bytes: readonly Span[];
  /** Chunks that have to be there for it. */
  readonly chunks: readonly Span[];

  constructor(spans: readonly Span[], length: number) {
    const chunks = chunksIn(length);
    const clipped = spans.map(({ start, end }) => ({ start, end: Math.min(end, length) }));
    this.#bytes = unite(clipped.filter(({ start, end }) => start < end));
    this.chunks = unite(spans.map((span) => chunksOf(span, chunks)));
  }

  /** How many of the chunks from one on are wanted. */
  covers(chunk: number, count: number): Cover {
    const span = this.chunks[firstAfter(this.chunks, chunk)];
    if (!span || span.start >= chunk + count) return "none";
    return span.start <= chunk && span.end >= chunk + count ? "all" : "some";
  }

  /** What of the content's bytes from `offset` on is wanted, as spans of these bytes. */
  within(offset: number, length: number): Span[] {
    const parts: Span[] = [];
    for (let i = firstAfter(this.#bytes, offset); i < this.#bytes.length; i++) {
      const { start, end } = this.#bytes[i] as Span;
      if (start >= offset + length) break;
      parts.push({ start: Math.max(start - offset, 0), end: Math.min(end - offset, length) });
    }
    return parts;
  }
}

/**
 * The chunks that a range touches. One of no bytes counts as one byte, and one that begins at the content's end or later as
 * the last byte: that chunk proves the length.
 */
function chunksOf({ start, end }: Span, chunks: number): Span {
  const first = Math.min(Math.floor(start / CHUNK), chunks - 1);
  return { start: first, end: Math.max(first + 1, Math.min(Math.ceil(end / CHUNK), chunks)) };
}

/** The first of the spans that ends after a number. */
function firstAfter(spans: readonly Span[], number: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle] as Span).end > number) high = middle;
    else low = middle + 1;
  }
  return low;
}
