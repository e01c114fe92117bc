// Outboards: the inner nodes of a message's tree, separate from the message.
import { type Input, toView, viewOfInput } from "../input/bytes.js";
import { outOfRange, requireArguments, wrongKind } from "../input/errors.js";
import { NO_OPTIONS, requireKnown } from "../input/options.js";
import { sameBytes } from "../input/text.js";
import { groupsIn, leftLeaves, NODE, VALUE } from "../tree/geometry.js";
import { MAX_VALUES } from "../tree/kernel.js";
import { DEFAULT_GROUP, toFormat, toGroup, toPosition, toRoot } from "./arguments.js";
import { type Built, OutboardBuilder } from "./builder.js";
import { IntegrityError } from "./errors.js";
import {
  FORMATS,
  layoutOf,
  type Order,
  type OutboardFormat,
  POST_ORDER,
  readLength,
  walk,
  writeLength,
} from "./format.js";
import { compute, VALUES, wipeKernel } from "./kernel.js";

/** The options of an outboard. */
export interface OutboardOptions {
  /** Bytes in a group, the smallest verifiable unit: a power of 2 from 1024 to 2^20, 16384 by default. */
  readonly group?: number | undefined;
}

/** What the bytes of an outboard do not contain. */
export interface OutboardBytesOptions extends OutboardOptions {
  /** The BLAKE3 digest of the content: 32 bytes, or hexadecimal text. */
  readonly root: Input;
  /** The length of the content in bytes. It may be omitted for the format `"bao"`, whose header contains it. */
  readonly length?: number | undefined;
  /** `"bao"` by default. */
  readonly format?: OutboardFormat | undefined;
}

/** The object whose group values an outboard is made from. */
export interface OutboardGroupsOptions extends OutboardOptions {
  /** The BLAKE3 digest of the content: 32 bytes, or hexadecimal text. */
  readonly root: Input;
  /** The length of the content in bytes: more than one group. */
  readonly length: number;
}

/** A part of an outboard's bytes. */
export interface OutboardPart {
  /** The offset of its first byte in the whole outboard. */
  readonly start: number;
  /** The bytes themselves. */
  readonly bytes: Uint8Array;
}

/** Nodes with consecutive numbers, in words: comparing bytes would take four times as long. */
export interface NodeRun {
  /** The number of the first node. */
  readonly first: number;
  readonly words: Int32Array<ArrayBuffer>;
}

const NODE_WORDS = NODE / Int32Array.BYTES_PER_ELEMENT;

/** Returns a run over the bytes of an array that begins where its buffer does. */
export function runOf(first: number, { buffer, length }: Uint8Array<ArrayBuffer>): NodeRun {
  return { first, words: new Int32Array(buffer, 0, Math.floor(length / NODE) * NODE_WORDS) };
}

function runWith(runs: readonly NodeRun[], number: number): NodeRun | undefined {
  for (const run of runs) {
    if (number >= run.first && (number - run.first) * NODE_WORDS < run.words.length) return run;
  }
  return undefined;
}

/**
 * The inner nodes of a message's BLAKE3 tree (BLAKE3 paper, section 2.1), down to groups of bytes. With them, each group can be
 * verified on its own against the message's BLAKE3 digest. An outboard takes 64 bytes of memory for each group.
 *
 * {@link outboard}, {@link outboardOf} and {@link OutboardStream} make an outboard from content, `from` reads one from bytes.
 * Nodes from elsewhere need not be trusted: each use verifies the nodes that it needs.
 *
 * @example
 * const tree = outboard(film, { group: 1024 });
 * writeFileSync("film.obao", tree.toBytes("bao"));
 */
export class Outboard {
  /** The length of the content in bytes. */
  readonly length: number;
  /** Bytes in a group. */
  readonly group: number;
  readonly #root: Uint8Array<ArrayBuffer>;
  readonly #order: Order;
  readonly #runs: readonly NodeRun[];
  /** All nodes in post-order; undefined for an outboard of parts. */
  readonly #whole: Uint8Array<ArrayBuffer> | undefined;

  private constructor(shape: Shape, order: Order, runs: readonly NodeRun[], whole?: Uint8Array<ArrayBuffer>) {
    this.#root = shape.root;
    this.length = shape.length;
    this.group = shape.group;
    this.#order = order;
    this.#runs = runs;
    this.#whole = whole;
    Object.freeze(this);
  }

  /** A copy of the BLAKE3 digest of the content. */
  get root(): Uint8Array<ArrayBuffer> {
    return this.#root.slice();
  }

  /** @internal */
  static of({ root, length, nodes }: Built, group: number): Outboard {
    return new Outboard({ root, length, group }, POST_ORDER, [runOf(0, nodes)], nodes);
  }

  /** @internal An outboard of those nodes that `runs` has at the time of their use. */
  static ofRuns(shape: Shape, order: Order, runs: readonly NodeRun[]): Outboard {
    return new Outboard(shape, order, runs);
  }

  /**
   * Reads an outboard from bytes, which it copies. Nothing is verified yet: `check` verifies all nodes, and each stream those
   * that it uses.
   *
   * @throws TypeError for a value or option of the wrong type; RangeError for a value out of range; IntegrityError if there
   *   are too few or too many bytes for the length, or if a header claims 2^53 bytes or more
   * @example
   * Outboard.from(readFileSync("film.obao"), { root, group: 1024 });
   */
  static from(bytes: Uint8Array, options: OutboardBytesOptions): Outboard {
    const name = "Outboard.from";
    requireArguments(name, arguments.length, 2);
    const source = toView(name, "bytes", bytes);
    const { root, group, format, length: known } = toDescription(name, options);
    const { header, order } = layoutOf(format);
    const claimed = header > 0 ? readLength(name, source) : undefined;
    const length = known ?? (claimed as number);
    if (claimed !== undefined && claimed !== length) throw new IntegrityError(name, "length", 0);
    const leaves = groupsIn(length, group);
    const size = (leaves - 1) * NODE;
    if (source.length < header + size) throw new IntegrityError(name, "truncated", 0);
    if (source.length > header + size) throw new IntegrityError(name, "trailing", length);
    const nodes = new Uint8Array(size);
    move(source.subarray(header), order, nodes, POST_ORDER, leaves);
    return Outboard.of({ root, length, nodes }, group);
  }

  /**
   * Makes an outboard from only those parts that {@link nodesOf} returns for a range. It can be used for that range alone.
   *
   * @param parts parts of the whole outboard's bytes; incomplete nodes are ignored
   * @throws TypeError for a value or option of the wrong type, or if there is no length; RangeError for a value out of range
   * @example
   * const parts = await Promise.all(nodesOf({ length, group: 16384 }, range).map(fetchPart));
   * Outboard.fromParts(parts, { root, length, group: 16384 });
   */
  static fromParts(parts: Iterable<OutboardPart>, options: OutboardBytesOptions): Outboard {
    const name = "Outboard.fromParts";
    requireArguments(name, arguments.length, 2);
    const { root, group, format, length } = toDescription(name, options);
    if (length === undefined) throw wrongKind(name, "length", "a number", length);
    const { header, order } = layoutOf(format);
    const runs = Array.from(parts, ({ start, bytes }, i) => {
      const offset = toPosition(name, `parts[${i}].start`, start) - header;
      const first = Math.max(0, Math.ceil(offset / NODE));
      return runOf(first, new Uint8Array(toView(name, `parts[${i}].bytes`, bytes)).slice(first * NODE - offset));
    });
    return Outboard.ofRuns({ root, length, group }, order, runs);
  }

  /**
   * Returns the outboard as bytes.
   *
   * @param format `"bao"` by default
   * @throws TypeError for any other format; Error for an outboard made from parts
   * @example
   * writeFileSync("film.obao4", outboard(film).toBytes("iroh"));
   */
  toBytes(format?: OutboardFormat): Uint8Array<ArrayBuffer> {
    const name = "toBytes";
    requireArguments(name, arguments.length, 1);
    const { header, order } = layoutOf(toFormat(name, format, FORMATS, "bao"));
    const nodes = this.#all(name);
    const bytes = new Uint8Array(header + nodes.length);
    if (header > 0) writeLength(bytes, this.length);
    move(nodes, POST_ORDER, bytes.subarray(header), order, groupsIn(this.length, this.group));
    return bytes;
  }

  /**
   * Verifies all nodes against the root. This needs no content, and verifies none.
   *
   * @throws IntegrityError for the first node that does not match the root; Error for an outboard made from parts
   */
  check(): void {
    const name = "check";
    requireArguments(name, arguments.length, 0);
    const nodes = this.#all(name);
    const leaves = groupsIn(this.length, this.group);
    const values = valuesOf(nodes);
    const holds = (number: number, expected: Uint8Array): boolean =>
      sameBytes(values.subarray(number * VALUE, (number + 1) * VALUE), expected, VALUE);
    walk(leaves, [POST_ORDER], ({ at, leaves: all, numbers: [number = 0] }) => {
      const fail = (leaf: number): never => {
        throw new IntegrityError("check", "node", leaf * this.group);
      };
      if (all === leaves && !holds(number, this.#root)) fail(0);
      const node = nodes.subarray(number * NODE, (number + 1) * NODE);
      const left = leftLeaves(all);
      if (left > 1 && !holds(POST_ORDER.left(number, left, all - left), node.subarray(0, VALUE))) fail(at);
      if (all - left > 1 && !holds(POST_ORDER.right(number, left, all - left), node.subarray(VALUE))) fail(at + left);
    });
  }

  /** @internal The order in which nodes are numbered. */
  get order(): Order {
    return this.#order;
  }

  /** @internal Returns a node by its number. */
  node(name: string, number: number): Uint8Array {
    const run = runWith(this.#runs, number);
    if (run) return new Uint8Array(run.words.buffer, (number - run.first) * NODE, NODE);
    throw new RangeError(`${name}: outboard must hold the range's nodes, got parts without node ${number}`);
  }

  /** @internal Returns whether the node with a number is here, and equals the one at an index of other words. */
  hasNode(number: number, words: Int32Array, at: number): boolean {
    const run = runWith(this.#runs, number);
    if (!run) return false;
    const from = (number - run.first) * NODE_WORDS;
    let difference = 0;
    for (let i = 0; i < NODE_WORDS; i++) difference |= (run.words[from + i] as number) ^ (words[at + i] as number);
    return difference === 0;
  }

  #all(name: string): Uint8Array<ArrayBuffer> {
    if (this.#whole) return this.#whole;
    throw new Error(`${name}: the outboard must be whole, got one of parts`);
  }
}

/** @throws TypeError for a value that is not an Outboard */
export function requireOutboard(name: string, outboard: unknown): asserts outboard is Outboard {
  if (!(outboard instanceof Outboard)) throw notOutboard(name, "an Outboard", outboard);
}

/** Returns the error for a value that is not an Outboard of this copy of the package. */
export function notOutboard(name: string, wanted: string, value: unknown): TypeError {
  if (typeof (value as Partial<Outboard> | null | undefined)?.toBytes !== "function") {
    return wrongKind(name, "outboard", wanted, value);
  }
  return new TypeError(`${name}: outboard must be ${wanted}, got one of another copy of the package: read its bytes`);
}

interface Shape {
  readonly root: Uint8Array<ArrayBuffer>;
  readonly length: number;
  readonly group: number;
}

function toDescription(name: string, options: OutboardBytesOptions) {
  requireKnown(name, options, ["root", "length", "group", "format"]);
  const { root, length, group, format } = options;
  const description = {
    root: toRoot(name, root),
    length: length === undefined ? undefined : toPosition(name, "length", length),
    group: toGroup(name, group, DEFAULT_GROUP),
    format: toFormat(name, format, FORMATS, "bao"),
  };
  if (description.length === undefined && description.format !== "bao") {
    throw new TypeError(
      `${name}: length must be given with format ${JSON.stringify(description.format)}, got undefined`,
    );
  }
  return description;
}

/** Copies all nodes from one order to another. */
function move(from: Uint8Array, order: Order, to: Uint8Array, target: Order, leaves: number): void {
  if (order === target) to.set(from);
  else {
    walk(leaves, [order, target], ({ numbers: [source = 0, place = 0] }) => {
      to.set(from.subarray(source * NODE, (source + 1) * NODE), place * NODE);
    });
  }
}

/** Returns the chaining values of nodes in post-order. The last one is the root. */
function valuesOf(nodes: Uint8Array): Uint8Array {
  const count = nodes.length / NODE;
  const values = new Uint8Array(count * VALUE);
  for (let at = 0; at < count; at += MAX_VALUES) {
    const some = Math.min(MAX_VALUES, count - at);
    compute((kernel) => {
      kernel.put(nodes.subarray(at * NODE, (at + some) * NODE));
      kernel.parents(2 * some);
      values.set(kernel.bytes.subarray(VALUES, VALUES + some * VALUE), at * VALUE);
    });
  }
  if (count > 0) {
    compute((kernel) => {
      kernel.putValues(nodes.subarray((count - 1) * NODE), 0);
      values.set(kernel.value(kernel.join(0, true)), (count - 1) * VALUE);
    });
  }
  wipeKernel();
  return values;
}

/**
 * Returns the outboard of a whole message in memory.
 *
 * @throws TypeError for a value or option of the wrong type; RangeError for a group that is not a power of 2 from 1024 to 2^20
 * @example
 * const tree = outboard(bytes);
 * tree.root; // the same as blake3(bytes)
 */
export function outboard(input: Input, options: OutboardOptions = NO_OPTIONS): Outboard {
  const name = "outboard";
  requireArguments(name, arguments.length, 2);
  requireKnown(name, options, ["group"]);
  const group = toGroup(name, options.group);
  const bytes = viewOfInput(name, "input", input);
  return Outboard.of(new OutboardBuilder(group, bytes.length).finishWith(bytes), group);
}

/**
 * Returns the outboard of content that was hashed in parts, from the chaining values of its groups.
 *
 * @param values the chaining values of all groups, in order, 32 bytes each, as `SubtreeCollector.groupValues` of
 *   `blake-simd/hazmat` returns them
 * @throws TypeError for a value or option of the wrong type; RangeError for a value out of range, or a wrong number of
 *   values; IntegrityError if the values do not match the root
 * @example
 * const collector = new SubtreeCollector(length, 2 ** 26, { group: 16384 });
 * // After all parts have been set:
 * outboardOfGroups(collector.groupValues(), { root: collector.digest(), length, group: 16384 });
 */
export function outboardOfGroups(values: Uint8Array, options: OutboardGroupsOptions): Outboard {
  const name = "outboardOfGroups";
  requireArguments(name, arguments.length, 2);
  requireKnown(name, options, ["root", "length", "group"]);
  const root = toRoot(name, options.root);
  const group = toGroup(name, options.group);
  const length = toPosition(name, "length", options.length);
  if (length <= group) throw outOfRange(name, `length must be more than one group of ${group} bytes`, length);
  const own = new Uint8Array(toView(name, "values", values));
  const size = groupsIn(length, group) * VALUE;
  if (own.length !== size) throw outOfRange(name, `values must have ${size} bytes`, own.length);
  const built = new OutboardBuilder(group, length).finishWithValues(own, group, length);
  if (!sameBytes(built.root, root, VALUE)) throw new IntegrityError(name, "node", 0);
  return Outboard.of(built, group);
}
