// The three modes of BLAKE3, for all parts of the package.
import type { Kernels } from "../engine/kernel.js";
import { type ByteInput, type Bytes, type Input, type Message, toMessage } from "../input/bytes.js";
import { copyBytes, pooledSecret } from "../input/caller-bytes.js";
import { missingSecret, type NotIterable, optionalKey, optionLength } from "../input/options.js";

/** A secret key, for a message authentication code. */
interface KeyOption extends NotIterable {
  /** Secret key of exactly 32 bytes, for a message authentication code. Cannot be combined with `context`. */
  readonly key?: ByteInput;
  readonly context?: never;
}

/** A purpose, for key derivation. */
interface ContextOption extends NotIterable {
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
export function modeBytes(call: string, kernels: Kernels, options: Blake3Mode): Bytes {
  const { key, context } = options;
  requireGiven(call, options, key, context);
  const mode = pooledSecret(MODE_LENGTH);
  writeMode(call, kernels, key, context, mode);
  return mode;
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

/** Writes the mode of a key or a context, of which at least one is undefined. */
export function writeMode(
  call: string,
  kernels: Kernels,
  key: ByteInput | undefined,
  context: Input | undefined,
  mode: Bytes,
): void {
  const keyBytes = optionalKey(call, key);
  optionLength(call, "key", keyBytes, KEY_LENGTH, KEY_LENGTH);
  const message = context === undefined ? undefined : toMessage(call, "context", context);
  const units = message?.length;
  if (message !== undefined) deriveKey(kernels, message, units as number, mode);
  else setMode(mode, keyBytes ?? IV, keyBytes ? KEYED_HASH : 0);
}

function setMode(mode: Bytes, key: Uint8Array, flags: number): void {
  copyBytes(mode, 0, key, KEY_LENGTH);
  mode[KEY_LENGTH] = flags;
}

/** The first stage of derive-key mode (BLAKE3 paper, section 2.3): the hash of the context becomes the key. */
function deriveKey(kernels: Kernels, context: Message, units: number, mode: Bytes): void {
  setMode(mode, IV, DERIVE_KEY_CONTEXT);
  kernels.run((kernel) => {
    kernel.load({ bytes: mode, digestLength: KEY_LENGTH, secret: true });
    kernel.hashMessage(context, units, KEY_LENGTH);
    setMode(mode, kernel.output.first(KEY_LENGTH), DERIVE_KEY_MATERIAL);
  });
}
