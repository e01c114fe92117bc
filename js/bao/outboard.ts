// Outboards: the inner nodes of a message's tree, separate from the message.
import { type Input, toView } from "../input/bytes.js";
import { requireArguments, wrongKind } from "../input/errors.js";
import { requireKnown } from "../input/options.js";
import { sameBytes } from "../input/text.js";
import { CHUNK, groupsIn, leftLeaves, NODE, VALUE } from "../tree/geometry.js";
import { MAX_VALUES } from "../tree/kernel.js";
import { toFormat, toGroup, toPosition, toRoot } from "./arguments.js";
import { IntegrityError } from "./errors.js";
import { compute, wipeKernel } from "./kernel.js";
import { FORMATS, headerOf, inPreOrder, layoutOf, type Order, type OutboardFormat, readLength } from "./order.js";

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

/** A part of an outboard's bytes. */
export interface OutboardPart {
  /** The offset of its first byte in the whole outboard. */
  readonly start: number;
  /** The bytes themselves. */
  readonly bytes: Uint8Array;
}

/** Nodes with consecutive numbers. */
export interface NodeRun {
  /** The number of the first node. */
  readonly first: number;
  /** Part of a node at the end is ignored. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * @param size bytes of an outboard, or of its first `most` bytes
 * @throws IntegrityError if there should be another number of bytes, as there are in other groups
 */
export function requireSize(
  name: string,
  size: number,
  { length, group, header }: { readonly length: number; readonly group: number; readonly header: number },
  offset = 0,
  most = Number.POSITIVE_INFINITY,
): void {
  const own = header + (groupsIn(length, group) - 1) * NODE;
  if (size === Math.min(own, most)) return;
  const mistaken = length > CHUNK ? group : undefined;
  throw size < own
    ? new IntegrityError(name, "truncated", 0, mistaken)
    : new IntegrityError(name, "trailing", offset, mistaken);
}

/**
 * The inner nodes of a message's BLAKE3 tree (BLAKE3 paper, section 2.1), down to groups of bytes. With them, each
 * group can be verified on its own against the message's BLAKE3 digest. An outboard takes 64 bytes of memory for each
 * group.
 *
 * {@link outboard}, {@link outboardOf} and {@link OutboardStream} make an outboard from content, `from` reads one from
 * bytes. Nodes from elsewhere need not be trusted: each use verifies the nodes that it needs.
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
  readonly #isWhole: boolean;

  private constructor({ root, length, group }: Shape, order: Order, runs: readonly NodeRun[], isWhole: boolean) {
    this.#root = root;
    this.length = length;
    this.group = group;
    this.#order = order;
    this.#runs = runs;
    this.#isWhole = isWhole;
    Object.freeze(this);
  }

  /** A copy of the BLAKE3 digest of the content. */
  get root(): Uint8Array<ArrayBuffer> {
    return this.#root.slice();
  }

  /** @internal An outboard of all nodes. */
  static of(shape: Shape, order: Order, nodes: Uint8Array<ArrayBuffer>): Outboard {
    return new Outboard(shape, order, [{ first: 0, bytes: nodes }], true);
  }

  /** @internal An outboard of those nodes that `runs` has at the time of their use. */
  static ofRuns(shape: Shape, order: Order, runs: readonly NodeRun[]): Outboard {
    return new Outboard(shape, order, runs, false);
  }

  /**
   * Reads an outboard from bytes, which it copies. Nothing is verified yet: `check` verifies all nodes, and each stream
   * those that it uses.
   *
   * @throws TypeError for a value or option of the wrong type; RangeError for a value out of range; IntegrityError if
   *   there are too few or too many bytes for the length, or if a header claims 2^53 bytes or more
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
    requireSize(name, source.length, { length, group, header }, known);
    return Outboard.of({ root, length, group }, order, new Uint8Array(source.subarray(header)));
  }

  /**
   * Makes an outboard from only those parts that {@link nodesOf} returns for a range. It can be used for that range
   * alone.
   *
   * @param parts parts of the whole outboard's bytes; incomplete nodes are ignored
   * @throws TypeError for a value or option of the wrong type, or if there is no length; RangeError for a value out of
   *   range
   * @example
   * const parts = await Promise.all(nodesOf({ length, group: 16384 }, range).map(fetchPart));
   * Outboard.fromParts(parts, { root, length, group: 16384 });
   */
  static fromParts(parts: Iterable<OutboardPart>, options: OutboardBytesOptions): Outboard {
    const name = "Outboard.fromParts";
    requireArguments(name, arguments.length, 2);
    const { root, group, format, length } = toDescription(name, options);
    if (length === undefined) throw wrongKind(name, "length", "a number", length);
    if (typeof parts?.[Symbol.iterator] !== "function") throw wrongKind(name, "parts", "iterable", parts);
    const { header, order } = layoutOf(format);
    const runs = Array.from(parts, ({ start, bytes }, i) => {
      const offset = toPosition(name, `parts[${i}].start`, start) - header;
      const first = Math.max(0, Math.ceil(offset / NODE));
      return { first, bytes: new Uint8Array(toView(name, `parts[${i}].bytes`, bytes)).slice(first * NODE - offset) };
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
    const own = this.#all(name);
    const bytes = new Uint8Array(header + own.length);
    if (header > 0) bytes.set(headerOf(this.length));
    const nodes = bytes.subarray(header);
    if (order === this.#order) nodes.set(own);
    else {
      inPreOrder(groupsIn(this.length, this.group), (_, left, leaves, depth) => {
        const from = this.#order.number(left, leaves, depth) * NODE;
        nodes.set(own.subarray(from, from + NODE), order.number(left, leaves, depth) * NODE);
      });
    }
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
    const groups = groupsIn(this.length, this.group);
    const values = valuesOf(nodes, this.#order.number(0, groups, 0));
    /** The values of the nodes that come next, as their parents have them. */
    const expected: Uint8Array[] = [this.#root];
    inPreOrder(groups, (leaf, left, leaves, depth) => {
      const number = this.#order.number(left, leaves, depth);
      const value = expected.pop() as Uint8Array;
      if (!sameBytes(values.subarray(number * VALUE), value, VALUE)) {
        throw new IntegrityError(name, "node", leaf * this.group);
      }
      const half = leftLeaves(leaves);
      if (leaves - half > 1) expected.push(nodes.subarray(number * NODE + VALUE));
      if (half > 1) expected.push(nodes.subarray(number * NODE));
    });
  }

  /** @internal The order in which nodes are numbered. */
  get order(): Order {
    return this.#order;
  }

  /** @internal Whether all nodes are here: as many as there are in groups of this length alone. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** @internal Returns a node by its number. */
  node(name: string, number: number): Uint8Array {
    for (const { first, bytes } of this.#runs) {
      const at = (number - first) * NODE;
      if (at >= 0 && at + NODE <= bytes.length) return bytes.subarray(at, at + NODE);
    }
    throw new RangeError(`${name}: outboard must hold the range's nodes, got parts without node ${number}`);
  }

  #all(name: string): Uint8Array<ArrayBuffer> {
    if (this.#isWhole) return (this.#runs[0] as NodeRun).bytes;
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

/** The shape of a tree, and its root. */
export interface Shape {
  readonly root: Uint8Array<ArrayBuffer>;
  readonly length: number;
  readonly group: number;
}

function toDescription(name: string, options: OutboardBytesOptions) {
  requireKnown(name, options, ["root", "length", "group", "format"]);
  return { root: toRoot(name, options.root), ...toLayout(name, "", options) };
}

/** Returns what describes an outboard but for its root. The length may be left to a header. */
export function toLayout(name: string, of: string, { length, group, format }: Partial<OutboardBytesOptions>) {
  const layout = {
    length: length === undefined ? undefined : toPosition(name, `${of}length`, length),
    group: toGroup(name, group),
    format: toFormat(name, format, FORMATS, "bao"),
  };
  if (length !== undefined || layout.format === "bao") return layout;
  throw new TypeError(`${name}: ${of}length must be given with format "${layout.format}", got undefined`);
}

/** Returns the chaining values of nodes, one of which is the root. */
function valuesOf(nodes: Uint8Array, root: number): Uint8Array {
  const values = new Uint8Array(nodes.length / 2);
  for (let at = 0; at < nodes.length; at += MAX_VALUES * VALUE) {
    const some = nodes.subarray(at, at + MAX_VALUES * VALUE);
    compute((kernel) => {
      kernel.putValues(some, 0);
      kernel.level(some.length / VALUE);
      values.set(kernel.values(0, some.length / NODE), at / 2);
    });
  }
  if (nodes.length > 0) {
    compute((kernel) => {
      kernel.putValues(nodes.subarray(root * NODE, (root + 1) * NODE), 0);
      values.set(kernel.parent(true), root * VALUE);
    });
  }
  wipeKernel();
  return values;
}
