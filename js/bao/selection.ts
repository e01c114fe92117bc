// Ranges of content: which chunks their encoding contains, and which bytes a decoder outputs.
import { wrongKind } from "../input/errors.js";
import { requireKnown } from "../input/options.js";
import { CHUNK, chunksIn } from "../tree/geometry.js";
import { toPosition } from "./arguments.js";

/** A range of content, in bytes. */
export interface ContentRange {
  /** The offset of the first byte; 0 by default. */
  readonly start?: number | undefined;
  /** The offset after the last byte; the end of the content by default, and at most. */
  readonly end?: number | undefined;
}

/** The part of the content that a stream covers: one range, or several. */
export interface ContentRanges extends ContentRange {
  /** Several ranges, in any order, instead of `start` and `end`. Bytes in two of them are output once. */
  readonly ranges?: readonly ContentRange[] | undefined;
}

/** The numbers from `start` to `end`, without `end`. */
export interface Span {
  /** The offset of the first byte. */
  readonly start: number;
  /** The offset after the last byte. */
  readonly end: number;
}

/**
 * @throws TypeError for a value of the wrong type; RangeError for one out of range, an end before the start, or no
 * range
 */
export function toSpans(name: string, { start, end, ranges }: ContentRanges): Span[] {
  if (ranges === undefined) return [toSpan(name, "", { start, end })];
  if (start !== undefined || end !== undefined) {
    throw new TypeError(`${name}: pass either ranges, or start and end, not both`);
  }
  if (!Array.isArray(ranges)) throw wrongKind(name, "ranges", "an array of { start, end }", ranges);
  if (ranges.length === 0) throw new RangeError(`${name}: ranges must have at least one range, got none`);
  return ranges.map((range, i) => {
    requireKnown(`${name}: ranges[${i}]`, range, ["start", "end"]);
    return toSpan(name, `ranges[${i}].`, range);
  });
}

function toSpan(name: string, of: string, range: ContentRange): Span {
  const start = toPosition(name, `${of}start`, range.start, 0);
  const end = range.end === undefined ? Number.POSITIVE_INFINITY : toPosition(name, `${of}end`, range.end);
  if (start <= end) return { start, end };
  throw new RangeError(`${name}: ${of}end must be at least ${of}start, ${start}, got ${end}`);
}

/** Returns spans in order, with those merged that touch or have at most `gap` numbers between them. */
export function unite(spans: readonly Span[], gap = 0): Span[] {
  const united: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = united.at(-1);
    if (last && start <= last.end + gap) last.end = Math.max(last.end, end);
    else united.push({ start, end });
  }
  return united;
}

/** How much of a subtree is wanted. */
type Cover = "none" | "some" | "all";

/** The wanted part of a message of known length. */
export class Selection {
  /** The length of the whole message. */
  readonly length: number;
  /** The bytes to output. */
  readonly #bytes: readonly Span[];
  /** The chunks that the encoding must contain for them. */
  readonly chunks: readonly Span[];

  constructor(spans: readonly Span[], length: number) {
    const chunks = chunksIn(length);
    this.length = length;
    const clipped = spans.map(({ start, end }) => ({ start, end: Math.min(end, length) }));
    this.#bytes = unite(clipped.filter(({ start, end }) => start < end));
    this.chunks = unite(spans.map((span) => chunksOf(span, chunks)));
  }

  /** Returns whether all, some or none of the chunks of a subtree are wanted. */
  covers(offset: number, length: number): Cover {
    const [chunk, count] = [offset / CHUNK, chunksIn(length)];
    const span = this.chunks[firstAfter(this.chunks, chunk)];
    if (!span || span.start >= chunk + count) return "none";
    return span.start <= chunk && span.end >= chunk + count ? "all" : "some";
  }

  /** Returns the wanted spans of some bytes of the content, the first of which is at `offset`. */
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
 * Returns the chunks that a range touches. An empty range counts as one byte, and one that starts at the end of the
 * content or later as the last byte, whose chunk proves the length.
 */
function chunksOf({ start, end }: Span, chunks: number): Span {
  const first = Math.min(Math.floor(start / CHUNK), chunks - 1);
  return { start: first, end: Math.max(first + 1, Math.min(Math.ceil(end / CHUNK), chunks)) };
}

/** Returns the index of the first span that ends after a number. */
function firstAfter(spans: readonly Span[], number: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle] as Span).end > number) high = middle;
    else low = middle + 1;
  }
  return low;
}
