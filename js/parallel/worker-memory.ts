// The layout of a worker's area: that of its kernel, whose input is divided into slots.
import { INPUT_AT } from "../tree/kernel.js";

/** Jobs that a worker has at a time, so that the next one is ready when one is done. */
export const SLOTS = 2;
/** Bytes in a slot, and so the most that are sent for one job. */
export const SLOT_SIZE = 0x100000;
/** The most bytes that are hashed for one job. */
export const MAX_PART = 0x400000;
export const AREA_SIZE = INPUT_AT + SLOTS * SLOT_SIZE;

export const slotAt = (area: number, slot: number): number => area + INPUT_AT + slot * SLOT_SIZE;
