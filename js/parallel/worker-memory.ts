// Where a worker keeps what, in the memory that it computes in.

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
