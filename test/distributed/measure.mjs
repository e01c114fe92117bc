// What the engine of examples/distributed costs, and what a second worker gains: the figure of docs/large-objects.md.
//
//   node test/distributed/measure.mjs     needs redis-server and npm run build
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { installExample } from "./project.mjs";

const ROUNDS = 3;
const folder = mkdtempSync(join(tmpdir(), "blake-simd-measure-"));
const project = installExample("distributed", folder);
const children = new Set();
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});
let store = "";

function start(command, ...args) {
  const child = spawn(command, args, { cwd: project, env: { ...process.env, STORE: store } });
  child.text = "";
  child.stdout.on("data", (text) => (child.text += text));
  child.stderr.pipe(process.stderr);
  child.ended = once(child, "close");
  children.add(child);
  return child;
}

/** CPU time of a process in milliseconds. */
function cpuOf({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** A file of zeros, without blocks on the disk: what is read comes from the page cache. */
function sparse(name, length) {
  const path = join(folder, name);
  closeSync(openSync(path, "w"));
  truncateSync(path, length);
  return path;
}

async function stop(...running) {
  for (const child of running) child.kill("SIGTERM");
  await Promise.all(running.map(({ ended }) => ended));
}

let number = 0;

/** Hashes a file, and returns wall and CPU time in milliseconds; the start of the processes is not counted. */
async function run(path, part, count) {
  store = "";
  const redis = start("sh", "redis.sh", join(folder, `redis-${number++}`));
  while (!redis.text.includes("Ready to accept")) await wait(20);
  [, store] = /^STORE=(.*)$/m.exec(redis.text);
  const workers = Array.from({ length: count }, () => start(process.execPath, "worker.js"));
  await wait(4000);
  const busy = [redis, ...workers];
  const before = busy.map(cpuOf);
  const began = performance.now();
  const job = start(process.execPath, "hash.js", `--part=${part}`, path);
  const [status] = await job.ended;
  const wall = performance.now() - began;
  assert.equal(status, 0);
  const cpu = busy.reduce((sum, child, i) => sum + cpuOf(child) - before[i], 0);
  await stop(...workers, redis);
  return { wall, cpu, digest: job.text.split(" ")[0] };
}

const best = (runs, key) => Math.min(...runs.map((each) => each[key]));

const tiny = (parts) => sparse(`tiny-${parts}`, parts * 1024);
const costs = [];
for (let round = 0; round < ROUNDS; round++) {
  const [few, many] = [await run(tiny(100), 1024, 1), await run(tiny(2100), 1024, 1)];
  costs.push({ wall: (many.wall - few.wall) / 2000, cpu: (many.cpu - few.cpu) / 2000 });
}
console.log(`per part: ${best(costs, "wall").toFixed(2)} ms of time, ${best(costs, "cpu").toFixed(2)} ms of CPU`);

const path = sparse("object", 2 ** 32);
const times = { 1: [], 2: [] };
for (let round = 0; round < ROUNDS; round++) {
  for (const count of [1, 2]) times[count].push(await run(path, 2 ** 26, count));
}
assert.equal(new Set([...times[1], ...times[2]].map(({ digest }) => digest)).size, 1);
const [one, two] = [best(times[1], "wall"), best(times[2], "wall")];
const rate = (milliseconds) => `${(2 ** 32 / milliseconds / 1000).toFixed(0)} MB/s`;
console.log(`4 GiB in parts of 64 MiB: one worker ${(one / 1000).toFixed(2)} s (${rate(one)}),`);
console.log(`two ${(two / 1000).toFixed(2)} s (${rate(two)}), ratio ${(two / one).toFixed(2)}`);
console.log(`CPU of the workers and Redis per GiB: ${(best(times[1], "cpu") / 4).toFixed(0)} ms`);
rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
