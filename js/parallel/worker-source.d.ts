/** What runs in a worker, as text: scripts/bundle.mjs makes it of worker.ts. */
export const workerSource: string;
