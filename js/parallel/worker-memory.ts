// The memory layout of a worker.

/** Addresses below this hold the kernel's constants, which are the same for all instances. */
export const FIRST_AREA = 0x10000;

/** Jobs that a worker has at a time, so that the next one is ready when one is done. */
export const SLOTS = 2;
/** Bytes in a slot, and so the most that are sent for one job. */
export const SLOT_SIZE = 0x100000;
/** The most bytes that are hashed for one job. */
export const MAX_PART = 0x400000;
/** Bytes that a worker copies and hashes at a time: few enough to stay in its second-level cache. */
export const PIECE = 0x40000;

// An area holds the C stack, each slot's parameters, the chaining values of chunks and pieces, and the slots.
export const STACK_SIZE = 0x4000;
export const PARAMETERS = 0x4000;
export const PARAMETERS_SIZE = 64;
export const VALUES = 0x8000;
const SLOT = 0x10000;
export const AREA_SIZE = SLOT + SLOTS * SLOT_SIZE;

export const PAGE = 0x10000;

export const parametersAt = (area: number, slot: number): number => area + PARAMETERS + slot * PARAMETERS_SIZE;
export const slotAt = (area: number, slot: number): number => area + SLOT + slot * SLOT_SIZE;
