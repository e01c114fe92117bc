// The survey of one runtime: builds every rival's call, compares its digest with the oracle's, times those that are
// right. Runs in any runtime that resolves the rivals; run.mjs, or a page, hands it the request.
import { allocationMeter } from "./allocation.mjs";
import { context, key, listCases, modes, sizeName } from "./cases.mjs";
import { measure } from "./measure.mjs";
import { concatenate, equal, expectedDigest } from "./oracle.mjs";
import allRivals from "./rivals/index.mjs";
import { ours } from "./rivals/ours.mjs";

/**
 * @param request { builds: [{ build, entry }], algorithms, modes, sizes, rivals or null, others, rounds, time,
 *                  warmup, allocations }
 * @param log told what is being measured
 * @returns { rows, absent: [{ rival, reason }] }; a row is one rival in one case
 */
export async function survey(request, log = () => {}) {
  const { rivals, absent } = await loadRivals(request);
  const meter = request.allocations ? await allocationMeter() : undefined;
  const rows = [];
  await acquaint(rivals, request);
  for (const item of listCases(request)) {
    log(`${item.algorithm}, ${modes[item.mode].title}, ${sizeName(item.size)}`);
    rows.push(...(await surveyCase(item, rivals, request, meter)));
  }
  return { rows, absent };
}

async function loadRivals(request) {
  const candidates = [...request.builds.map(ours), ...allRivals.filter((rival) => isWanted(rival, request))];
  const loaded = await Promise.allSettled(candidates.map(async (rival) => ({ ...rival, library: await rival.load() })));
  const rivals = loaded.filter(({ status }) => status === "fulfilled").map(({ value }) => value);
  const absent = loaded
    .map(({ reason }, index) => ({ rival: candidates[index].name, reason: reason && firstLine(reason) }))
    .filter(({ reason }) => reason);
  return { rivals, absent };
}

function isWanted({ name, kind }, { rivals, others }) {
  if (kind === "other" && !others) return false;
  return !rivals || rivals.includes(name);
}

/** Sizes that every rival is called with before anything is timed, so that no result depends on what was first. */
const varied = [0, 64, 1000, 5000, 100_000];

/** Milliseconds in which engines finish what they compile in the background. */
const pause = 300;

/** Shows the engine what a program with inputs of several sizes would: it optimises for what it has seen. A kernel
 *  that a small input seldom reaches would otherwise be timed before its optimised version is there. */
async function acquaint(rivals, request) {
  const items = listCases({ ...request, sizes: varied });
  for (const rival of rivals) {
    for (const item of items) {
      const input = modes[item.mode].input(item.size);
      const entry = await enter(rival, item, input);
      if (entry?.digest === "right") callFor(request.warmup / 2, entry.call, input);
    }
  }
  await new Promise((resolve) => setTimeout(resolve, pause));
}

function callFor(milliseconds, call, input) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) call(input);
}

async function surveyCase(item, rivals, request, meter) {
  const input = modes[item.mode].input(item.size);
  const entries = (await Promise.all(rivals.map((rival) => enter(rival, item, input)))).filter(Boolean);
  const right = entries.filter(({ digest }) => digest === "right");
  const tasks = right.map(({ call, rival }) => ({
    label: `${rival} ${item.algorithm} ${item.mode} ${item.size}`,
    call,
    input,
  }));
  for (const [index, timing] of measure(tasks, request).entries()) Object.assign(right[index], timing);
  for (const entry of right) {
    entry.digest = judge(entry.call, input, entry.expected);
    entry.allocated = meter?.(entry.call, input, item.bytes);
  }
  return entries.map(({ call, expected, ...row }) => row);
}

/** A rival's row with its call and whether the digest is right; undefined where it does not have the case. */
async function enter(rival, item, input) {
  const asked = rival.algorithm ? { ...item, algorithm: rival.algorithm } : item;
  const row = { rival: rival.name, kind: rival.kind, ...item };
  try {
    const call = await buildCall(rival, asked);
    if (!call) return undefined;
    const expected = expectedDigest(asked, input);
    return { ...row, call, expected, digest: judge(call, input, expected) };
  } catch (error) {
    return { ...row, digest: `fails: ${firstLine(error)}` };
  }
}

async function buildCall({ library, offers }, { algorithm, mode, length }) {
  const parameters = { key, context, length };
  const offered = offers[algorithm] ?? {};
  const call = await offered[mode]?.(library, parameters);
  if (call || mode !== "many") return call;
  const single = await offered.hash?.(library, parameters);
  return single && ((inputs) => inputs.map((bytes) => single(bytes)));
}

function judge(call, input, expected) {
  const result = call(input);
  return equal(Array.isArray(result) ? concatenate(result) : result, expected) ? "right" : "WRONG";
}

function firstLine(error) {
  return String(error?.message ?? error).split("\n", 1)[0];
}
