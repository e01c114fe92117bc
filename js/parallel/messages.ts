// What the pool and its workers say to each other.
import type { Part } from "./parts.js";

/** What a worker is told first. */
export interface Start {
  readonly module: WebAssembly.Module;
  /** The memory that it shares with the pool, and the address of its area; else it makes one of its own. */
  readonly memory: WebAssembly.Memory | undefined;
  readonly area: number;
}

/** A file's name, as text or as the bytes that it is. */
export type Path = string | Uint8Array;

/** Where a worker finds the bytes of a part. */
export type Place =
  | { readonly kind: "slot" }
  | { readonly kind: "memory"; readonly address: number }
  | { readonly kind: "shared"; readonly bytes: Uint8Array }
  | { readonly kind: "moved"; readonly buffer: ArrayBuffer }
  | { readonly kind: "blob"; readonly blob: Blob }
  | { readonly kind: "descriptor"; readonly descriptor: number; readonly position: number }
  | { readonly kind: "path"; readonly path: Path; readonly identity: string; readonly position: number };

/** The chaining values of a part's subtrees, please. */
export interface JobMessage extends Part {
  readonly slot: number;
  readonly place: Place;
  /** Key and flags, where they are not in shared memory already. */
  readonly parameters: Uint8Array | undefined;
}

/** An error on its way between threads: a clone of the error itself would lack what the system says. */
export interface ErrorMessage {
  readonly message: string;
  readonly name: string;
  readonly code?: string | undefined;
  readonly errno?: number | undefined;
  readonly syscall?: string | undefined;
}

/** What a worker says: that it has started, or how a job ended. A buffer that was moved comes back: a new one costs more. */
export type Reply =
  | { readonly ready: true }
  | { readonly slot: number; readonly values: Uint8Array; readonly buffer: ArrayBuffer | undefined }
  | { readonly slot: number; readonly error: ErrorMessage };
