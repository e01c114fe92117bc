// BLAKE3's three modes, as every part of the package that computes BLAKE3 sets them up.
import { write } from "../engine/algorithm.js";
import type { Kernel, KernelModule } from "../engine/kernel.js";
import { fromBase64, type Input, toMessage } from "../input/bytes.js";
import { bytes } from "../input/options.js";

/** The mode of BLAKE3 (BLAKE3 paper, section 2.3): plain hash where both are absent. */
export interface Blake3Mode {
  /** Secret key of exactly 32 bytes, for a message authentication code. Not together with `context`. */
  readonly key?: Input;
  /**
   * Derives a key from the input, for the use that this text, of any length, names. It should be fixed, global and unique.
   * Not together with `key`.
   */
  readonly context?: Input;
}

/** Bytes in a key, and in a digest. */
export const KEY_LENGTH = 32;
/** Bytes that a mode takes among the kernel's parameters: key and flags. */
export const MODE_LENGTH = 36;

// The mode's domain flags (BLAKE3 paper, table 3).
export const KEYED_HASH = 16;
const DERIVE_KEY_CONTEXT = 32;
export const DERIVE_KEY_MATERIAL = 64;

// The key of the unkeyed modes: the IV, 0x6a09e667 to 0x5be0cd19, as memory holds it.
export const IV = /* @__PURE__ */ fromBase64("Z+YJaoWuZ7ty8248OvVPpX9SDlGMaAWbq9mDHxnN4Fs=");

/** Checks a mode and writes it to the first bytes of `target`, which are zero. A context is hashed in BLAKE3's kernel. */
export function writeMode(
  module: KernelModule,
  key: Input | undefined,
  context: Input | undefined,
  target: Uint8Array,
): void {
  if (key !== undefined && context !== undefined) {
    throw new TypeError("blake3: key and context exclude each other, got both");
  }
  if (key !== undefined) setMode(target, bytes("blake3", "key", key, KEY_LENGTH, KEY_LENGTH), KEYED_HASH);
  else if (context !== undefined) setContext(module.current ?? module.load(), context, target);
  else setMode(target, IV, 0);
}

function setMode(target: Uint8Array, key: Uint8Array, flags: number): void {
  target.set(key);
  target[KEY_LENGTH] = flags;
}

/** Derive-key mode's first stage (BLAKE3 paper, section 2.3): the context's own hash becomes the key. */
function setContext(kernel: Kernel, context: Input, target: Uint8Array): void {
  const message = toMessage("blake3", "context", context);
  // The key goes from the output area straight to `target`, which may be where the stage's own parameters lie.
  const key = kernel.outputOf(KEY_LENGTH);
  setMode(kernel.claim(), IV, DERIVE_KEY_CONTEXT);
  write(kernel, message, key, KEY_LENGTH);
  kernel.unload();
  setMode(target, key, DERIVE_KEY_MATERIAL);
  kernel.wipeOutput(KEY_LENGTH);
}
