// Chooses the build of the kernels.
import { describe } from "../input/errors.js";
import { readGlobal } from "../input/globals.js";

/**
 * The builds of the package's code: `simd128` needs WebAssembly SIMD, `baseline` WebAssembly, and `javascript`, the
 * only one of `blake-simd/javascript`, neither.
 */
export type Backend = "simd128" | "baseline" | "javascript";

/** Something that has loaded the chosen build. */
export interface BackendListener {
  /** Lets go of the build in use. */
  drop(): void;
}

/** Notified once, at the next change of the build. */
export const backendListeners = /* @__PURE__ */ new Set<BackendListener>();

// A module of one function that makes a v128 and counts bits in it (fd 62): valid if WebAssembly SIMD is.
const SIMD_PROBE = [
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b, 0x03, 0x02, 0x01, 0x00,
  0x0a, 0x0a, 0x01, 0x08, 0x00, 0x41, 0x00, 0xfd, 0x0f, 0xfd, 0x62, 0x0b,
];

let chosen: Backend | undefined;

/**
 * Returns the build in use: `"simd128"` if the engine supports WebAssembly SIMD, otherwise `"baseline"`.
 *
 * In runtimes that have environment variables, `BLAKE_SIMD_DISABLE=1` forces `"baseline"`.
 *
 * @example
 * backend(); // "simd128"
 */
export function backend(): Backend {
  chosen ??= !readGlobal(simdDisabled) && simdSupported() ? "simd128" : "baseline";
  return chosen;
}

/**
 * Chooses the build for all later calls. Hashers in progress carry on with it, as both builds share one state format.
 *
 * @param name `"simd128"` or `"baseline"`; `"javascript"` in `blake-simd/javascript`, which has no other build
 * @throws TypeError for any other name; Error for `"simd128"` if the engine does not support WebAssembly SIMD
 * @example
 * useBackend("baseline");
 */
export function useBackend(name: Backend): void {
  if (name !== "simd128" && name !== "baseline") {
    throw new TypeError(`useBackend: name must be "simd128" or "baseline", got ${describe(name)}`);
  }
  if (name === "simd128" && !simdSupported()) {
    throw new Error('useBackend: name must be "baseline", got "simd128": this engine has no WebAssembly SIMD');
  }
  if (name === chosen) return;
  changeKernels();
  chosen = name;
}

/** Makes all users of kernels load them again. */
export function changeKernels(): void {
  for (const listener of backendListeners) {
    listener.drop();
    backendListeners.delete(listener);
  }
}

function simdSupported(): boolean | undefined {
  return readGlobal(() => WebAssembly.validate(new Uint8Array(SIMD_PROBE)));
}

interface Environment {
  process: { env: Record<string, string | undefined> };
  Deno?: { permissions: { querySync(query: object): { state: string } } };
}

function simdDisabled(): boolean {
  const { process, Deno } = globalThis as unknown as Environment;
  const variable = "BLAKE_SIMD_DISABLE";
  // Where Deno would ask the user for permission, the variable counts as unset.
  return Deno?.permissions.querySync({ name: "env", variable }).state !== "prompt" && process.env[variable] === "1";
}
