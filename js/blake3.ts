// BLAKE3.
import { baseline, simd128 } from "#kernels/blake3";
import { type Algorithm, defineAlgorithm, write } from "./algorithm.js";
import { type Input, toMessage } from "./bytes.js";
import { KernelModule } from "./kernel.js";
import { bytes, integer, requireKnown } from "./options.js";
import { HEAD_LENGTH, readHead, type StateForm } from "./state.js";
import type { StateCheck } from "./state-check.js";

const module = /* @__PURE__ */ new KernelModule({ baseline, simd128 });

/** The modes of BLAKE3 and its output. */
export interface Blake3Options {
  /** Digest length in bytes: any, by default 32. A shorter digest is a prefix of a longer one. */
  readonly length?: number;
  /** Secret key of exactly 32 bytes, for a message authentication code. Not together with `context`. */
  readonly key?: Input;
  /** Derives a key from the input, for the use that this text names. It should be fixed, global and unique. */
  readonly context?: Input;
}

const OPTIONS: readonly string[] = ["length", "key", "context"];
const KEY_LENGTH = 32;
const PARAMETERS_LENGTH = 36;

// The mode's domain flags (BLAKE3 paper, table 3).
const KEYED_HASH = 16;
const DERIVE_KEY_CONTEXT = 32;
const DERIVE_KEY_MATERIAL = 64;

// The key of the unkeyed modes: the IV, in the order in which memory holds it.
const IV = /* @__PURE__ */ new Uint8Array(
  /* @__PURE__ */ Uint32Array.of(
    0x6a09e667,
    0xbb67ae85,
    0x3c6ef372,
    0xa54ff53a,
    0x510e527f,
    0x9b05688c,
    0x1f83d9ab,
    0x5be0cd19,
  ).buffer,
);

// The parameters of derive-key mode's first stage.
const CONTEXT_STAGE = /* @__PURE__ */ new Uint8Array([...IV, DERIVE_KEY_CONTEXT, 0, 0, 0]);

function encode(options: Blake3Options, target: Uint8Array): number {
  requireKnown("blake3", options, OPTIONS);
  const length = integer("blake3", "length", options.length, 0, Number.MAX_SAFE_INTEGER, KEY_LENGTH);
  const { key, context } = options;
  if (key !== undefined && context !== undefined) {
    throw new TypeError("blake3: key and context exclude each other, got both");
  }
  if (key !== undefined) setMode(target, bytes("blake3", "key", key, KEY_LENGTH, KEY_LENGTH), KEYED_HASH);
  else if (context !== undefined) setContext(target, context);
  else setMode(target, IV, 0);
  return length;
}

function setMode(target: Uint8Array, key: Uint8Array, flags: number): void {
  target.set(key);
  target[KEY_LENGTH] = flags;
}

/** Derive-key mode's first stage (BLAKE3 paper, section 2.3): the context's own hash becomes the key. */
function setContext(target: Uint8Array, context: Input): void {
  const message = toMessage("blake3", "context", context);
  const kernel = module.current ?? module.load();
  // The key goes from the output area straight to `target`, which may be where the stage's own parameters lie.
  const key = kernel.outputOf(KEY_LENGTH);
  kernel.settle();
  kernel.load(CONTEXT_STAGE);
  write(kernel, message, key, KEY_LENGTH);
  kernel.unload();
  setMode(target, key, DERIVE_KEY_MATERIAL);
  kernel.wipeOutput(KEY_LENGTH);
}

// The state of wasm/blake3.c: head, key, chaining value, block buffer, blocks, depth, reserved, stack.
const KEY_AT = HEAD_LENGTH;
const CHAIN_AT = KEY_AT + KEY_LENGTH;
const BUFFER_AT = CHAIN_AT + KEY_LENGTH;
const BLOCKS_AT = BUFFER_AT + 64;
const DEPTH_AT = BLOCKS_AT + 4;
const RESERVED_AT = DEPTH_AT + 4;
const STACK_AT = RESERVED_AT + 8;

const stateForm: StateForm = {
  bufferOffset: BUFFER_AT,
  bufferLength: 64,
  checkParameters(parameters, _digestLength, check) {
    const mode = parameters[KEY_LENGTH] as number;
    const modes = [0, KEYED_HASH, DERIVE_KEY_MATERIAL];
    if (!modes.includes(mode)) check.refuse(`a mode of ${modes.join(", ")}`, mode);
    if (mode === 0) check.same("the IV as key of the plain mode", parameters.subarray(0, KEY_LENGTH), IV);
    check.zero("padding of the parameters", parameters.subarray(KEY_LENGTH + 1));
  },
  checkState(state, fresh, check) {
    const { flags, buffered, count } = readHead(state);
    const view = new DataView(state.buffer, state.byteOffset, state.byteLength);
    const blocks = view.getUint32(BLOCKS_AT, true);
    const waiting = BigInt(64 * blocks + buffered);
    check.equal("flags", flags, readHead(fresh).flags);
    check.same("its parameters' key", state.subarray(KEY_AT, CHAIN_AT), fresh.subarray(KEY_AT, CHAIN_AT));
    check.within("byte count", count, 0n, 2n ** 64n - 1n);
    check.within("blocks of a chunk", blocks, 0, 15);
    // A chunk's last block waits until a byte follows it, so a chunk in progress has some in the buffer.
    if (blocks > 0) check.within("buffered length", buffered, 1, 64);
    else check.same("the key to start a chunk", state.subarray(CHAIN_AT, BUFFER_AT), fresh.subarray(KEY_AT, CHAIN_AT));
    check.equal("byte count modulo the chunk's 1024", count % 1024n, waiting % 1024n);
    check.zero("reserved bytes", state.subarray(RESERVED_AT, STACK_AT));
    const depth = view.getUint32(DEPTH_AT, true);
    checkDepth(depth, (count - waiting) / 1024n, waiting > 0n, check);
    check.equal("kernel state bytes", state.length, STACK_AT + KEY_LENGTH * depth);
  },
};

/**
 * The stack has one subtree for each bit that is set in the number of whole chunks. Where no chunk follows yet, something
 * is left to fold into the root: a last subtree of several chunks is still in two halves, the second of which may be in
 * two halves again, down to one chunk.
 */
function checkDepth(depth: number, chunks: bigint, chunkInProgress: boolean, check: StateCheck): void {
  const bits = chunks.toString(2);
  const merged = bits.replaceAll("0", "").length;
  const halvings = chunks === 0n ? 0 : bits.length - 1 - bits.lastIndexOf("1");
  if (chunkInProgress || halvings === 0) check.equal("stack depth", depth, merged);
  else check.within("stack depth", depth, merged + 1, merged + halvings);
  if (!chunkInProgress && chunks === 1n) check.refuse("its first chunk in progress until a byte follows it", "none");
}

/**
 * BLAKE3: its hash, keyed hash and derive-key modes, with an output of any length.
 *
 * @example
 * toHex(blake3("hello"));
 * blake3(message, { key });
 * blake3(material, { context: "example.com 2026-11-21 session keys", length: 64 });
 */
export const blake3: Algorithm<Blake3Options> = /* @__PURE__ */ defineAlgorithm<Blake3Options>({
  name: "blake3",
  module,
  digestLength: 32,
  blockLength: 64,
  parametersLength: PARAMETERS_LENGTH,
  encode,
  state: stateForm,
});
