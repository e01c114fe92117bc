// The survey of one runtime: builds every rival's call, compares its digest with the oracle's, times those that are
// right. Runs in any runtime that resolves the rivals; child.mjs or page.mjs passes the request.

import { context, groupsOf, key, listCases, modes, sizeName } from "../cases/cases.mjs";
import { concatenate, equal, expectedDigest, fromHex } from "../cases/oracle.mjs";
import { byHand } from "../rivals/by-hand.mjs";
import allRivals from "../rivals/index.mjs";
import { ours } from "../rivals/ours.mjs";
import { feeding } from "../rivals/shared.mjs";
import { allocationMeter } from "../timing/allocation.mjs";
import { measure } from "../timing/measure.mjs";

/**
 * @param request { builds: [{ build, entry }], cases: [{ algorithm, mode, size, bytes, length }], rivals and kinds or
 *                  null, others (true, or their algorithms), rounds, time, warmup, mixedWarmup, allocations }
 * @param log called with what is being measured
 * @returns { rows, absent: [{ rival, reason }] }; a row is one rival, called in one way, in one case
 */
export async function survey(request, log = () => {}) {
  const { rivals, absent } = await loadRivals(request);
  const meter = request.allocations ? await allocationMeter() : undefined;
  const rows = [];
  await warmUpMixed(rivals, request);
  for (const group of groupsOf(request.cases)) {
    for (const { algorithm, mode, size } of group) log(`${algorithm}, ${modes[mode].title}, ${sizeName(size)}`);
    rows.push(...(await surveyGroup(group, rivals, request, meter)));
  }
  return { rows, absent };
}

function candidatesOf(request) {
  const rivals = [...allRivals, ...request.builds.slice(0, 1).map(byHand)];
  return [...request.builds.map(ours), ...rivals.filter((rival) => isWanted(rival, request))];
}

/** How many calls a request times at most: what cannot be loaded is counted too. */
export function countCalls(request) {
  const candidates = candidatesOf(request);
  const counts = request.cases.flatMap((item) => candidates.map((rival) => waysFor(rival, item).length));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function loadRivals(request) {
  const candidates = candidatesOf(request);
  const loaded = await Promise.allSettled(candidates.map(async (rival) => ({ ...rival, library: await rival.load() })));
  // A survey without this package has nothing to compare with.
  const failed = loaded.find(({ reason }, index) => reason && candidates[index].kind === "ours");
  if (failed) throw failed.reason;
  const rivals = loaded.filter(({ status }) => status === "fulfilled").map(({ value }) => value);
  const absent = loaded
    .map(({ reason }, index) => ({ rival: candidates[index].name, reason: reason && firstLine(reason) }))
    .filter(({ reason }) => reason);
  return { rivals, absent };
}

function isWanted({ name, kind, algorithm }, { rivals, kinds, others }) {
  if (kind === "other" && !(others?.includes?.(algorithm) ?? others)) return false;
  return (!rivals || rivals.includes(name)) && (!kinds || kinds.includes(kind));
}

/** Sizes that every rival is called with before anything is timed, so that no result depends on the order. */
const varied = [0, 64, 1000, 5000, 100_000];

/** Milliseconds in which engines finish what they compile in the background. */
const pause = 300;

/** Warms up with inputs of several sizes, as a program has: engines optimise for what they have seen. Otherwise a
 *  kernel that small inputs seldom reach would be timed before it is optimised. */
async function warmUpMixed(rivals, request) {
  const unique = (name) => [...new Set(request.cases.map(({ [name]: value }) => value))];
  const items = listCases({ algorithms: unique("algorithm"), modes: unique("mode"), sizes: varied });
  for (const rival of rivals) {
    for (const item of items) {
      const input = modes[item.mode].input(item.size);
      const entries = await enter(rival, item, input);
      const right = entries.filter(({ digest }) => digest === "right");
      for (const { call, waits } of right) await callFor(request.mixedWarmup, call, input, waits);
    }
  }
  await new Promise((resolve) => setTimeout(resolve, pause));
}

async function callFor(milliseconds, call, input, waits) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    const result = call(input);
    if (waits) await result;
  }
}

/** Times all calls of a group's cases in common rounds. */
async function surveyGroup(group, rivals, request, meter) {
  const entries = (await Promise.all(group.map((item) => enterAll(item, rivals)))).flat();
  const right = entries.filter(({ digest }) => digest === "right");
  const tasks = right.map(({ call, input, waits, rival, way, algorithm, mode, size }) => ({
    label: [rival, way, algorithm, mode, size].join(" "),
    call,
    input,
    waits,
  }));
  for (const [index, timing] of (await measure(tasks, request)).entries()) Object.assign(right[index], timing);
  for (const entry of right) {
    entry.digest = await judge(entry, entry.call, entry.input, entry.expected);
    if (!entry.waits) entry.allocated = meter?.(entry.call, entry.input, entry.bytes);
  }
  return entries.map(({ call, input, expected, waits, ...row }) => row);
}

async function enterAll(item, rivals) {
  const input = modes[item.mode].input(item.size);
  return (await Promise.all(rivals.map((rival) => enter(rival, item, input)))).flat();
}

/** A rival's rows, one for each way to call it, with the call and whether its digest is right; none where it does not
 *  have the case. */
async function enter(rival, item, input) {
  const asked = askedOf(rival, item);
  const entries = waysFor(rival, item).map(async ([way, build]) => {
    const row = { rival: rival.name, kind: rival.kind, way, ...item };
    try {
      const call = await build(rival.library, { key, context, length: asked.length });
      if (!call) return [];
      const expected = expectedDigest(asked, input);
      const waits = Boolean(modes[item.mode].waits || call.waits);
      return [{ ...row, input, call, waits, expected, digest: await judge(item, call, input, expected) }];
    } catch (error) {
      return [{ ...row, digest: `fails: ${firstLine(error)}` }];
    }
  });
  return (await Promise.all(entries)).flat();
}

/** A hash of another family has its own algorithm, whatever the case names. */
const askedOf = ({ algorithm }, item) => (algorithm ? { ...item, algorithm } : item);

/** The ways in which a rival can take a case. */
function waysFor(rival, item) {
  const { kinds } = modes[item.mode];
  if (kinds && !kinds.includes(rival.kind)) return [];
  return waysOf(rival.offers[askedOf(rival, item).algorithm] ?? {}, item.mode);
}

/** [way, builder] for each way in which a rival offers a mode; a rival that offers one has no name for it. */
function waysOf(offered, mode) {
  const offer = offered[mode] ?? fed(offered.incremental, mode);
  if (!offer) return modes[mode].each && offered.hash ? waysOf(offered, "hash").map(forEachMessage) : [];
  return typeof offer === "function" ? [[undefined, offer]] : Object.entries(offer);
}

/** The builder of a mode that feeds incremental hashers. */
function fed(incremental, mode) {
  if (!incremental || !feeding[mode]) return undefined;
  return async (library, parameters) => {
    const hashers = await incremental(library, parameters);
    return hashers && feeding[mode](hashers);
  };
}

/** The same way, one message after the other. */
function forEachMessage([way, build]) {
  const buildAll = async (library, parameters) => {
    const single = await build(library, parameters);
    return single && ((inputs) => inputs.map((bytes) => single(bytes)));
  };
  return [way, buildAll];
}

/** Whether a call's digest is the expected one; calls may return a promise of it, and it may be text. */
async function judge({ mode }, call, input, expected) {
  const { decode = fromHex } = modes[mode];
  const result = call(input);
  const digests = await Promise.all(Array.isArray(result) ? result : [result]);
  const bytes = digests.map((digest) => (typeof digest === "string" ? decode(digest) : digest));
  return equal(concatenate(bytes), expected) ? "right" : "WRONG";
}

function firstLine(error) {
  return String(error?.message ?? error).split("\n", 1)[0];
}
