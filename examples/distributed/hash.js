// Has workers hash an object, and prints its BLAKE3 digest:
//
//   STORE=redis://... node hash.js [--part=BYTES] [--verify=SHARE] FILE-or-URL
//
// It can be stopped and started again: the jobs continue without it, and the result stays in the store for a week.
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { blake3 } from "blake-simd";
import { partsOf } from "blake-simd/hazmat";
import { describe, read } from "./source.js";
import { connection, FlowProducer, QUEUE, Queue } from "./store.js";

// BullMQ adds a flow, and reads the results below a job, in one step each. Above this number, there are two levels.
const MAX_CHILDREN = 8192;
const PARTS_PER_GROUP = 1024;

const OPTIONS = {
  // An error is retried after 1, 2, 4 and 8 s: long enough for a server that restarts.
  attempts: 5,
  backoff: { type: "exponential", delay: 1000 },
  // Without it, the merge waits forever for a part that failed.
  failParentOnFailure: true,
  removeOnComplete: { age: 7 * 24 * 3600 },
};

const idOf = (...of) => createHash("sha256").update(JSON.stringify(of)).digest("hex");

/** The jobs of parts. A random share of them is there twice: the merge fails if their results differ. */
function partJobs(object, parts, share) {
  return [...parts].flatMap((part) => {
    const copies = Math.random() < share ? [1, 2] : [1];
    const job = { name: "part", queueName: QUEUE, data: { ...object, ...part } };
    return copies.map((copy) => ({ ...job, opts: { ...OPTIONS, jobId: idOf(object, part, copy) } }));
  });
}

/** The job that merges all parts, with the jobs below it on one level or two. */
function flowOf(object, length, partLength, share) {
  const merge = (data, children) => ({
    ...{ name: "merge", queueName: QUEUE, data: { ...object, ...data }, children },
    opts: { ...OPTIONS, jobId: idOf(object, data) },
  });
  const whole = (over, children) => merge({ offset: 0, length, partLength: over, whole: true }, children);
  if (Math.ceil(length / partLength) <= MAX_CHILDREN) {
    return whole(partLength, partJobs(object, partsOf(length, partLength), share));
  }
  const groups = Array.from(partsOf(length, partLength * PARTS_PER_GROUP), (group) =>
    merge({ ...group, partLength }, partJobs(object, partsOf(group.length, partLength, group.offset), share)),
  );
  return whole(partLength * PARTS_PER_GROUP, groups);
}

/** The jobs whose children are parts. */
const aboveParts = (flow) => (flow.children[0].children ? flow.children : [flow]);

async function countDone(queue, flow) {
  const jobs = await Promise.all(aboveParts(flow).map(({ opts }) => queue.getJob(opts.jobId)));
  const counts = await Promise.all(jobs.map((job) => job?.getDependenciesCount()));
  return counts.reduce((sum, count) => sum + (count?.processed ?? 0), 0);
}

function showProgress(done, all, length, seconds) {
  if (!process.stderr.isTTY) return;
  const bytes = (length * done) / all;
  const rate = bytes / seconds;
  const left = rate > 0 ? `${Math.ceil((length - bytes) / rate)} s` : "unknown time";
  const text = `${done} of ${all} parts, ${(bytes / 1e9).toFixed(2)} GB, ${(rate / 1e6).toFixed(0)} MB/s, ${left} left`;
  process.stderr.write(`\r\x1b[K${text}`);
}

/** Waits for the merge, whoever started it, and returns the digest. */
async function finish(queue, flow, length) {
  const all = aboveParts(flow).reduce((sum, { children }) => sum + children.length, 0);
  const began = performance.now();
  for (;;) {
    // The state first: a job that is read before it is completed has no result.
    const state = await queue.getJobState(flow.opts.jobId);
    const job = await queue.getJob(flow.opts.jobId);
    if (!job) throw new Error("the store has lost the jobs: is it persistent?");
    if (state === "completed") return job.returnvalue;
    if (state === "failed") {
      await job.removeUnprocessedChildren();
      throw new Error(await reasonOf(queue, flow, job));
    }
    showProgress(await countDone(queue, flow), all, length, (performance.now() - began) / 1000);
    await setTimeout(100);
  }
}

/** Returns why a job failed: for the first child that failed, or by itself. */
async function reasonOf(queue, flow, job) {
  for (const child of flow.children ?? []) {
    const found = await queue.getJob(child.opts.jobId);
    if (found && (await found.isFailed())) return reasonOf(queue, child, found);
  }
  return job.failedReason;
}

/** Adds the jobs, unless they are in the store. Those of an object that failed are removed and added again. */
async function start(queue, producer, flow) {
  const job = await queue.getJob(flow.opts.jobId);
  if (job && !(await job.isFailed())) return;
  if (job) await remove(job);
  await producer.add(flow);
}

/** Removes a job and those below it, once no worker is at one of them. */
async function remove(job, attempts = 20) {
  try {
    await job.remove({ removeChildren: true });
  } catch (error) {
    if (attempts === 0) throw error;
    await setTimeout(500);
    await remove(job, attempts - 1);
  }
}

async function digestOf(source, partLength, share) {
  const { length, version } = await describe(source);
  // An object of one part has no subtrees to merge.
  if (length <= partLength) return hashHere(source, version, length);
  const flow = flowOf({ source, version }, length, partLength, share);
  const queue = new Queue(QUEUE, { connection });
  const producer = new FlowProducer({ connection });
  for (const each of [queue, producer]) each.on("error", ({ message }) => console.error(message));
  try {
    await start(queue, producer, flow);
    return await finish(queue, flow, length);
  } finally {
    await Promise.all([queue.close(), producer.close()]);
  }
}

async function hashHere(source, version, length) {
  const hasher = blake3.create();
  if (length > 0) for await (const bytes of read(source, version, { offset: 0, length })) hasher.update(bytes);
  return hasher.digest("hex");
}

const { values, positionals } = parseArgs({
  options: { part: { type: "string", default: String(2 ** 26) }, verify: { type: "string", default: "0" } },
  allowPositionals: true,
});
const [name] = positionals;
if (name === undefined) throw new Error("usage: node hash.js [--part=BYTES] [--verify=SHARE] FILE-or-URL");
const share = Number(values.verify);
if (!(share >= 0 && share <= 1)) throw new Error(`--verify must be a number from 0 to 1, was ${values.verify}`);
const source = /^https?:/.test(name) ? name : resolve(name);
try {
  const digest = await digestOf(source, Number(values.part), share);
  console.log(`${process.stderr.isTTY ? "\r\x1b[K" : ""}${digest}  ${name}`);
} catch (error) {
  console.error(`${name}: ${error.message}`);
  process.exitCode = 1;
}
