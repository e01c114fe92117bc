/** The worker's script, as text; scripts/bundle.mjs generates it from worker.ts. */
export const workerSource: string;
