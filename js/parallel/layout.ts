// Where a worker keeps its things in the memory that it computes in, and how it and the pool talk.
import type { Part } from "./parts.js";

/** Bytes below this are the kernel's own: constants, which all instances write alike. */
export const FIRST_AREA = 0x10000;

/** Jobs that a worker is given at a time: the next one is at hand when one is done. */
export const SLOTS = 2;
/** Bytes of a slot, so the most that are sent for one job. */
export const SLOT_SIZE = 0x100000;
/** The most bytes that are hashed for one job. */
export const MAX_PART = 0x400000;
/** Bytes that a worker gets and hashes at a time: they stay in its second-level cache in between. */
export const PIECE = 0x40000;

// An area: the C stack, each slot's parameters, the chaining values of a piece's chunks and a subtree's pieces, the slots.
export const STACK_SIZE = 0x4000;
export const PARAMETERS = 0x4000;
export const PARAMETERS_SIZE = 64;
export const VALUES = 0x8000;
const SLOT = 0x10000;
export const AREA_SIZE = SLOT + SLOTS * SLOT_SIZE;

export const PAGE = 0x10000;

export const parametersAt = (area: number, slot: number): number => area + PARAMETERS + slot * PARAMETERS_SIZE;
export const slotAt = (area: number, slot: number): number => area + SLOT + slot * SLOT_SIZE;

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
export interface Job extends Part {
  readonly slot: number;
  readonly place: Place;
  /** Key and flags, where they are not in shared memory already. */
  readonly parameters: Uint8Array | undefined;
}

/** An error on its way between threads: a clone of the error itself would lack what the system says. */
export interface Trouble {
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
  | { readonly slot: number; readonly trouble: Trouble };
