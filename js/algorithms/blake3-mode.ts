// The three modes of BLAKE3, for all parts of the package.
import { type Checked, type Kernel, type KernelModule, written } from "../engine/kernel.js";
import { type ByteInput, type Bytes, type Input, type Message, toMessage } from "../input/bytes.js";
import { copyBytes, viewOf } from "../input/caller-bytes.js";
import { missingSecret, type NotIterable, optionalKey, optionLength } from "../input/options.js";

/** A secret key, for a message authentication code. */
export interface KeyOption extends NotIterable {
  /** Secret key of exactly 32 bytes, for a message authentication code. Cannot be combined with `context`. */
  readonly key?: ByteInput;
  readonly context?: never;
}

/** A purpose, for key derivation. */
export interface ContextOption extends NotIterable {
  /**
   * Derives a key from the input for the purpose that this text describes, which should be hardcoded and globally
   * unique. It can have any length. Cannot be combined with `key`.
   */
  readonly context?: Input;
  readonly key?: never;
}

/** The mode of BLAKE3 (BLAKE3 paper, section 2.3): the plain hash if both options are absent. */
export type Blake3Mode = KeyOption | ContextOption;

/** The length in bytes of a key, and of a default digest. */
export const KEY_LENGTH = 32;
/** The length in bytes of a mode in the kernel's parameters: key and flags. */
export const MODE_LENGTH = 36;

// The domain flags of the modes (BLAKE3 paper, table 3).
const KEYED_HASH = 16;
const DERIVE_KEY_CONTEXT = 32;
const DERIVE_KEY_MATERIAL = 64;

/** The flags of the three modes. */
export const MODES: readonly number[] = [0, KEYED_HASH, DERIVE_KEY_MATERIAL];

// The key of the unkeyed modes: the IV, little-endian words of 32 bits from the fractions of the roots of the first
// primes.
export const IV = /* @__PURE__ */ Uint8Array.from(
  { length: KEY_LENGTH },
  (_, i) => (Math.sqrt([2, 3, 5, 7, 11, 13, 17, 19][i >> 2] as number) % 1) * 2 ** (32 - 8 * (i % 4)),
);

/** Returns a mode as the kernel's parameters, in a new array. */
export function modeBytes(call: string, module: KernelModule, options: Blake3Mode): Bytes {
  const { key, context } = options;
  requireGiven(call, options, key, context);
  return written(new CheckedMode(call, module, key, context), MODE_LENGTH).bytes;
}

/** @throws TypeError for a key or a context that is there but undefined or null, and for both */
export function requireGiven(
  call: string,
  options: Blake3Mode,
  key: ByteInput | undefined,
  context: Input | undefined,
): void {
  if (key == null && "key" in options) throw missingSecret(call, "key", key);
  if (context == null && "context" in options) throw missingSecret(call, "context", context);
  if (key === undefined || context === undefined) return;
  throw new TypeError(`${call}: pass either key or context, not both`);
}

/** A mode that was checked. */
export class CheckedMode implements Checked {
  readonly digestLength: number;
  readonly secret: boolean;
  readonly bytes = undefined;
  readonly #module: KernelModule;
  readonly #key: Uint8Array | undefined;
  readonly #context: Message | undefined;

  constructor(
    call: string,
    module: KernelModule,
    key: ByteInput | undefined,
    context: Input | undefined,
    digestLength = KEY_LENGTH,
  ) {
    this.digestLength = digestLength;
    this.secret = key !== undefined || context !== undefined;
    this.#module = module;
    this.#key = optionalKey(call, key);
    optionLength(call, "key", this.#key, KEY_LENGTH, KEY_LENGTH);
    const message = context === undefined ? undefined : toMessage(call, "context", context);
    // No getter of a class must run within the kernel's call.
    this.#context = typeof message === "object" ? viewOf(message) : message;
  }

  write(mode: Bytes, kernel?: Kernel): void {
    const context = this.#context;
    if (context === undefined) setMode(mode, this.#key ?? IV, this.#key ? KEYED_HASH : 0);
    else if (kernel) deriveKey(kernel, context, mode);
    else this.#module.run((own) => deriveKey(own, context, mode));
  }
}

function setMode(mode: Bytes, key: Uint8Array, flags: number): void {
  copyBytes(mode, 0, key, KEY_LENGTH);
  mode[KEY_LENGTH] = flags;
}

/** The first stage of derive-key mode (BLAKE3 paper, section 2.3): the hash of the context becomes the key. */
function deriveKey(kernel: Kernel, context: Message, mode: Bytes): void {
  setMode(mode, IV, DERIVE_KEY_CONTEXT);
  kernel.load(mode, true);
  kernel.hashMessage(context, context.length, KEY_LENGTH);
  setMode(mode, kernel.output.first(KEY_LENGTH), DERIVE_KEY_MATERIAL);
  kernel.wipeOutput(KEY_LENGTH);
}
