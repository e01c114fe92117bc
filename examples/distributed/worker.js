// Hashes parts and merges chaining values, until SIGTERM:
//
//   STORE=redis://... node worker.js
import { pathToFileURL } from "node:url";
import { fromHex, toHex } from "blake-simd";
import { SubtreeCollector, SubtreeHasher } from "blake-simd/hazmat";
import { UnrecoverableError } from "bullmq";
import { read } from "./source.js";
import { connection, QUEUE, Worker } from "./store.js";

/** Depends on nothing but the version of the object, so a part can be hashed any number of times. */
export async function hashPart({ source, version, offset, length }) {
  const hasher = new SubtreeHasher({ offset });
  for await (const bytes of read(source, version, { offset, length })) hasher.update(bytes);
  return { offset, value: toHex(hasher.chainingValue()) };
}

/** Merges the results of the jobs below: to the chaining value of a larger subtree, or to the digest of the object. */
export async function merge(job) {
  const { source, offset, length, partLength, whole } = job.data;
  const collector = new SubtreeCollector(length, partLength, { offset });
  try {
    const parts = Object.values(await job.getChildrenValues());
    for (const part of parts) collector.set(part.offset, fromHex(part.value));
    return whole ? toHex(collector.digest()) : { offset, value: toHex(collector.chainingValue()) };
  } catch (error) {
    // Two results for one part, or a missing one, will be the same in another attempt.
    throw new UnrecoverableError(`${source}: ${error.message}`);
  }
}

export function startWorker(tasks = { part: hashPart, merge }) {
  return new Worker(QUEUE, (job) => (job.name === "merge" ? tasks.merge(job) : tasks.part(job.data)), {
    connection,
    // One part at a time: a process hashes on one core.
    concurrency: 1,
    // Parts take about a second. The lock is renewed every 2.5 s, so that only a blocked event loop loses it, and the
    // part of a dead worker is given to another after 5 to 7.5 s. BullMQ's defaults, 30 s each, would take up to a
    // minute.
    lockDuration: 5000,
    stalledInterval: 2500,
    // How often a part may lose its worker before the whole object fails. By default once: too little where machines
    // come and go. The limit is for a part that kills its workers.
    maxStalledCount: 20,
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const worker = startWorker();
  worker.on("error", ({ message }) => console.error(message));
  worker.on("failed", (job, { message }) => console.error(`${job?.name ?? "a part"} failed: ${message}`));
  // close() waits for the part in progress. A second signal ends the process at once; the part is then hashed by
  // another.
  process.once("SIGTERM", () => worker.close().then(() => process.exit()));
}
