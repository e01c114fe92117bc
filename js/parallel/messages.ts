// The messages between the pool and its workers.
import type { Part } from "../subtrees/parts.js";

/** What errors call the hash that the messages are for. */
export const CALL = "Blake3Pool.hash";

/** The first message to a worker. */
export interface Start {
  /** Only messages about parts have one. */
  readonly place?: undefined;
  readonly module: WebAssembly.Module;
  /** The memory that it shares with the pool; if undefined, the worker creates its own. */
  readonly memory: WebAssembly.Memory | undefined;
  /** The address of the worker's area in its memory. */
  readonly area: number;
  /** How many cycles a vector operation takes, if that is certain. */
  readonly latency: 1 | 2 | undefined;
}

/** The location of a part's bytes, for a worker. */
export type Place =
  | { readonly kind: "slot" }
  | { readonly kind: "shared"; readonly bytes: Uint8Array }
  | { readonly kind: "moved"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "blob"; readonly blob: Blob }
  | { readonly kind: "descriptor"; readonly descriptor: number; readonly position: number };

/** A part of a message, of which the chaining values of all groups are computed. */
export interface GroupedPart extends Part {
  /** Bytes in a group. */
  readonly group: number;
}

/** Asks for the chaining values of a part's groups. */
export interface PartMessage extends GroupedPart {
  readonly slot: number;
  readonly place: Place;
  /** Key and flags; undefined if they are already in shared memory. */
  readonly parameters: Uint8Array | undefined;
}

/** An error in a form that can be sent: a structured clone of an Error loses the system's properties. */
export interface ErrorMessage {
  readonly message: string;
  readonly name: string;
  readonly code?: string | undefined;
  readonly errno?: number | undefined;
  readonly syscall?: string | undefined;
}

/** Reports a worker's start, or a job's outcome. A transferred buffer is returned, to be used again. */
export type Reply =
  | { readonly kind: "ready" }
  | {
      readonly kind: "values";
      readonly slot: number;
      readonly value: Uint8Array;
      readonly buffer: ArrayBuffer | undefined;
    }
  | { readonly kind: "error"; readonly slot: number; readonly value: ErrorMessage };
