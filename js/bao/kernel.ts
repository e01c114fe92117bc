// What Bao computes with the kernel of subtrees: one instance, which all objects of this module share.
import { IV } from "../algorithms/blake3-mode.js";
import { backendListeners } from "../engine/backend.js";
import { Lifecycle } from "../engine/lifecycle.js";
import { CHUNK, chunksIn, groupsIn, leftLeaves, NODE } from "../tree/geometry.js";
import { FIRST_AREA, INPUT_AT, memoryFor, modeAt, PIECE, TreeKernel } from "../tree/kernel.js";
import { treeModule } from "../tree/module.js";

/** The modes of inner subtrees and of the root. Both are the plain hash, so that they are no secret and stay. */
const INNER = 0;
const ROOT = 1;
const FLAGS_AT = 32;
const ROOT_NODE = 8;
/** The address of the input: bytes of a message or of an encoding. */
const INPUT = FIRST_AREA + INPUT_AT;
/** Room for the largest group, and for the nodes that its chunks make. */
const INPUT_SIZE = 0x110000;

/** The digest of the empty message, from BLAKE3's test_vectors.json. */
const EMPTY_DIGEST = /* @__PURE__ */ new Uint8Array([
  0xaf, 0x13, 0x49, 0xb9, 0xf5, 0xf9, 0xa1, 0xa6, 0xa0, 0x40, 0x4d, 0xea, 0x36, 0xdc, 0xc9, 0x49, 0x9b, 0xcb, 0x25,
  0xc9, 0xad, 0xc1, 0x12, 0xb7, 0xcc, 0x9a, 0x93, 0xca, 0xe4, 0x1f, 0x32, 0x62,
]);

/** Offsets are in the input. */
export class BaoKernel extends TreeKernel {
  constructor(module: WebAssembly.Module, memory: WebAssembly.Memory) {
    super(module, memory);
    for (const mode of [INNER, ROOT]) this.bytes.set(IV, modeAt(FIRST_AREA, mode));
    this.bytes[modeAt(FIRST_AREA, ROOT) + FLAGS_AT] = ROOT_NODE;
  }

  /** Computes the chaining values of consecutive groups. The last one may be short. */
  groups(at: number, length: number, group: number, chunk: number): void {
    for (let done = 0; done < length; done += PIECE) {
      const size = Math.min(PIECE, length - done);
      this.groupsAt(INNER, INPUT + at + done, size, group, chunk + done / CHUNK, done / group);
    }
  }

  /**
   * Merges the first `count` values, of which there are at least two, into the two values under their root. Returns the
   * nodes in post-order, which it writes to an offset.
   */
  collect(count: number, at = 0): Uint8Array<ArrayBuffer> {
    const size = (count - 1) * NODE;
    this.willWriteInput(INPUT + at, INPUT + at + size);
    this.exports.collect(modeAt(this.area, INNER), this.valueAt(0), count, INPUT + at);
    return this.input(at, size);
  }

  /** Replaces the first `count` values by their parents. An odd value stays as it is. */
  level(count: number, root = false): void {
    this.exports.level(modeAt(this.area, root ? ROOT : INNER), this.valueAt(0), count, this.valueAt(0));
  }

  /** Returns the parent of the first two values, a view that the next call changes. */
  parent(root: boolean): Uint8Array<ArrayBuffer> {
    this.willWriteValues(3);
    this.exports.level(modeAt(this.area, root ? ROOT : INNER), this.valueAt(0), 2, this.valueAt(2));
    return this.values(2, 1);
  }

  /**
   * Stores as the first value the chaining value of one subtree of the input, or if `root` is true, the digest of a
   * whole message.
   *
   * @param length in bytes, up to the largest group
   */
  subtree(at: number, length: number, chunk: number, root: boolean): void {
    if (length === 0) this.putValues(EMPTY_DIGEST, 0);
    else if (length <= CHUNK) this.groupsAt(root ? ROOT : INNER, INPUT + at, length, CHUNK, chunk);
    else if (length <= PIECE && !root) this.groups(at, length, PIECE, chunk);
    else {
      const part = Math.min(PIECE, leftLeaves(chunksIn(length)) * CHUNK);
      this.groups(at, length, part, chunk);
      let count = groupsIn(length, part);
      for (; count > 2; count = Math.ceil(count / 2)) this.level(count);
      this.level(2, root);
    }
  }

  /** Returns bytes of the input, as a view. */
  input(at: number, length: number): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(INPUT + at, INPUT + at + length);
  }
}

let memory: WebAssembly.Memory | undefined;

const kernels = /* @__PURE__ */ new Lifecycle((self) => {
  backendListeners.add(self);
  const module = treeModule();
  memory ??= memoryFor(INPUT_SIZE);
  return new BaoKernel(module, memory);
});

/** Runs a step of a computation with the shared kernel. Call `wipeKernel` after the last step. */
export function compute<T>(work: (kernel: BaoKernel) => T): T {
  try {
    const kernel = kernels.begin();
    const result = work(kernel);
    kernel.endUpdate();
    return result;
  } finally {
    kernels.finish();
  }
}

/** Zeroes all that computations have left in the kernel's memory. */
export function wipeKernel(): void {
  if (kernels.current) kernels.begin().end();
}
