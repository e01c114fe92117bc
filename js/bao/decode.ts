// Decodes combined encodings, slices and iroh's responses. All output has been verified.
import type { Input } from "../input/bytes.js";
import { requireArguments } from "../input/errors.js";
import { NO_OPTIONS, requireKnown } from "../input/options.js";
import { LazyTransformStream } from "../streams/lazy-base.js";
import { NODE } from "../tree/geometry.js";
import { type BaoFormat, toFormat, toGroup, toRoot } from "./arguments.js";
import { IntegrityError } from "./errors.js";
import type { BaoKernel } from "./kernel.js";
import { HEADER, readLength } from "./order.js";
import { type ContentRanges, Selection, type Span, toSpans } from "./selection.js";
import { type TreeOptions, Verifier } from "./verify.js";
import { type Content, type StepReader, transformerOf, type Window } from "./window.js";

/** How an encoding was made. Its bytes do not contain this. */
export interface BaoDecodeOptions extends ContentRanges {
  /**
   * `"bao"` (the default): the combined encodings and slices of the `bao` program. `"iroh"`: the responses of
   * iroh-blobs, which are those of `bao-tree` after a header of 8 bytes.
   */
  readonly format?: BaoFormat | undefined;
  /** Bytes in a group: a power of 2 from 1024 to 2^20; 16384 by default. The `bao` program has groups of 1024. */
  readonly group?: number | undefined;
}

/** Reads an encoding. */
export class Decoder implements StepReader {
  /** The content's length, once its last chunk has been verified. */
  length: number | undefined;
  readonly #tree: TreeOptions;
  readonly #spans: readonly Span[];
  /** Undefined until the header has been read. */
  #selection: Selection | undefined;
  #verifier: Verifier | undefined;
  /** The offset at which the content verified so far ends. */
  #verified = 0;

  constructor(name: string, root: Input, options: BaoDecodeOptions) {
    requireKnown(name, options, ["format", "group", "start", "end", "ranges"]);
    const format = toFormat<BaoFormat>(name, options.format, ["bao", "iroh"], "bao");
    this.#tree = { name, root: toRoot(name, root), group: toGroup(name, options.group), format, isGroupGuess: true };
    this.#spans = toSpans(name, options);
  }

  read(kernel: BaoKernel, window: Window): number {
    if (!this.#verifier) {
      if (window.left < HEADER) return HEADER;
      const length = readLength(this.#tree.name, kernel.input(window.consume(HEADER), HEADER));
      this.#selection = new Selection(this.#spans, length);
      this.#verifier = new Verifier(this.#tree, this.#selection);
    }
    for (;;) {
      const step = this.#verifier.next;
      // After the last step, a single byte is too many.
      const size = step ? (step.kind === "node" ? NODE : step.length) : 1;
      if (window.left < size) return size;
      if (!step) throw new IntegrityError(this.#tree.name, "trailing", this.#verified);
      if (step.kind === "node") {
        kernel.putValues(kernel.input(window.consume(size), size), 0);
        this.#verifier.node(kernel);
      } else {
        const at = window.consume(size);
        this.#verifier.leaf(kernel, at);
        this.#accept(kernel, window, { offset: step.offset, length: size, at });
      }
    }
  }

  end(): void {
    if (!this.#verifier) throw new IntegrityError(this.#tree.name, "truncated", 0);
    if (this.#verifier.next) throw this.#verifier.error("truncated");
  }

  /** Passes on the wanted part of verified content. */
  #accept(kernel: BaoKernel, window: Window, content: Content): void {
    const selection = this.#selection as Selection;
    window.outputSelected(kernel, selection, content);
    this.#verified = content.offset + content.length;
    if (this.#verified === selection.length) this.length = this.#verified;
  }
}

/**
 * A TransformStream from an encoding to its content. Every byte of the output has been verified against the root hash,
 * even if a later part of the encoding is wrong. The encoding is a combined encoding or a slice of `bao`, or a response
 * of iroh, in chunks of any size and any kind of bytes. The stream holds at most one group.
 *
 * The output is the range from `start` to `end`, for which the encoding was made, or with `ranges`, the bytes of all
 * ranges in order. When the readable side closes, the output is complete.
 *
 * The output is copies of the verified bytes: a writer may use its chunk again once it has been written.
 *
 * The stream fails with an {@link IntegrityError} at the first wrong node or group, if bytes are missing, and if there
 * are more than the encoding has. The output up to then is correct and can be kept. The content's length is proven only
 * when the last chunk has been verified; a slice without that chunk does not prove it.
 *
 * @param root the content's BLAKE3 digest: 32 bytes, or hexadecimal text
 * @throws TypeError for a value or option of the wrong type; RangeError for a value out of range
 * @example
 * const decoded = response.body.pipeThrough(new BaoDecodeStream("ea8f163d…"));
 */
export class BaoDecodeStream extends LazyTransformStream<
  Uint8Array | ArrayBufferView | ArrayBufferLike,
  Uint8Array<ArrayBuffer>
> {
  readonly #decoder: Decoder;

  constructor(root: Input, options: BaoDecodeOptions = NO_OPTIONS) {
    const name = "BaoDecodeStream";
    requireArguments(name, arguments.length, 2);
    const decoder = new Decoder(name, root, options);
    super(transformerOf(name, decoder));
    this.#decoder = decoder;
  }

  /** The length of the content in bytes; undefined until the last chunk has been verified, which proves it. */
  get length(): number | undefined {
    return this.#decoder.length;
  }
}
