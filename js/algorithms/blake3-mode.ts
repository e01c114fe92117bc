// The three modes of BLAKE3, for all parts of the package.
import { hashInto } from "../engine/algorithm.js";
import type { KernelModule } from "../engine/kernel-module.js";
import type { Area } from "../engine/memory.js";
import { type ByteInput, type Input, inputLength, type Message, toMessage } from "../input/bytes.js";
import { type NotIterable, optionalKey, optionLength, undefinedSecret } from "../input/options.js";
import { asBytes, type CallerBytes, copyBytes } from "../input/views.js";

/** The mode of BLAKE3 (BLAKE3 paper, section 2.3): the plain hash if both options are absent. */
export interface Blake3Mode extends NotIterable {
  /** Secret key of exactly 32 bytes, for a message authentication code. Cannot be combined with `context`. */
  readonly key?: ByteInput;
  /**
   * Derives a key from the input for the purpose that this text describes, which should be hardcoded and globally
   * unique. It can have any length. Cannot be combined with `key`.
   */
  readonly context?: Input;
}

/** The length in bytes of a key, and of a default digest. */
export const KEY_LENGTH = 32;
/** The length in bytes of a mode in the kernel's parameters: key and flags. */
export const MODE_LENGTH = 36;

// The domain flags of the modes (BLAKE3 paper, table 3).
export const KEYED_HASH = 16;
const DERIVE_KEY_CONTEXT = 32;
export const DERIVE_KEY_MATERIAL = 64;

// The key of the unkeyed modes: the IV, 0x6a09e667 to 0x5be0cd19, as little-endian bytes.
export const IV = /* @__PURE__ */ new Uint8Array([
  0x67, 0xe6, 0x09, 0x6a, 0x85, 0xae, 0x67, 0xbb, 0x72, 0xf3, 0x6e, 0x3c, 0x3a, 0xf5, 0x4f, 0xa5, 0x7f, 0x52, 0x0e,
  0x51, 0x8c, 0x68, 0x05, 0x9b, 0xab, 0xd9, 0x83, 0x1f, 0x19, 0xcd, 0xe0, 0x5b,
]);

/** Checks a mode, begins a call of the kernel, and writes the mode to the kernel's parameters. */
export function writeMode(call: string, module: KernelModule, options: Blake3Mode): void {
  const { key, context } = options;
  requireGiven(call, options, key, context);
  if (context !== undefined) {
    setContext(module, toMessage(call, "context", context));
  } else {
    const bytes = optionalKey(call, key);
    optionLength(call, "key", bytes, KEY_LENGTH, KEY_LENGTH);
    setMode(module.begin().ownParameters(), bytes ?? asBytes(IV), bytes ? KEYED_HASH : 0);
  }
}

/** @throws TypeError for a key or a context that is there but undefined, and for both */
export function requireGiven(
  call: string,
  options: Blake3Mode,
  key: ByteInput | undefined,
  context: Input | undefined,
): void {
  if (key === undefined && "key" in options) throw undefinedSecret(call, "key");
  if (context === undefined && "context" in options) throw undefinedSecret(call, "context");
  if (key === undefined || context === undefined) return;
  throw new TypeError(`${call}: pass either key or context, not both`);
}

function setMode(parameters: Area, key: CallerBytes, flags: number): void {
  copyBytes(parameters.field(0, KEY_LENGTH), 0, key, KEY_LENGTH);
  parameters.bytes[KEY_LENGTH] = flags;
}

/** The first stage of derive-key mode (BLAKE3 paper, section 2.3): the hash of the context becomes the key. */
function setContext(module: KernelModule, context: Message): void {
  const units = inputLength(context);
  const kernel = module.begin();
  setMode(kernel.ownParameters(), asBytes(IV), DERIVE_KEY_CONTEXT);
  const key = kernel.outputOf(KEY_LENGTH);
  hashInto(kernel, context, units, key, KEY_LENGTH);
  setMode(kernel.parameters, asBytes(key), DERIVE_KEY_MATERIAL);
  kernel.wipeOutput(KEY_LENGTH);
}

/** Returns a mode as bytes, in a new array. */
export function modeBytes(call: string, module: KernelModule, options: Blake3Mode): Uint8Array<ArrayBuffer> {
  writeMode(call, module, options);
  return module.takeParameters(MODE_LENGTH);
}
