// Runs the table of proofs on modules.
import { BUILDS, bytesOfModule, DIST, Different, Kernel, latenciesOf, MODULES, requireSameTexts } from "./kernel.mjs";
import { forget, termCount } from "./machine/terms.mjs";
import { choose } from "./proofs/cases.mjs";
import { table } from "./proofs/table.mjs";

/** The rows for a build of a module, or of all. */
export const rowsFor = (build, module) =>
  [...table()].filter((row) => (row.builds ?? BUILDS).includes(build) && (row.module === module || !module));

export const casesOf = ({ cases, sizes }, isFull, seed) => choose(cases, sizes[isFull ? 1 : 0], seed);

const MOST_TERMS = 500_000;
const show = (one) =>
  JSON.stringify(one, (key, value) => value?.name ?? (key === "at" ? `0x${value.toString(16)}` : value));

/** The last kernel: rows of a module have the same one, if they have the same options. */
let last = {};
function kernelOf(bytes, module, options, latency) {
  if (last.bytes !== bytes || last.options !== options || last.latency !== latency)
    last = { bytes, options, latency, kernel: new Kernel(bytes, MODULES[module], options, latency) };
  return last.kernel;
}

/** Runs cases of a module until one fails: how many passed, and what was found. */
export function prove(bytes, { module, options, proof, run }, cases, latency, limit) {
  let done = 0;
  let kernel;
  try {
    kernel = kernelOf(bytes, module, options, latency);
  } catch (error) {
    return { done, found: `the module cannot be read: ${error.message}` };
  }
  if (limit !== undefined) kernel.machine.limit = limit;
  for (const one of cases) {
    try {
      if (run) run(kernel, one);
      else for (const call of proof(one)) kernel.check(call);
    } catch (error) {
      forget();
      if (!(error instanceof Different)) throw error;
      return { done, found: `${error.message}: ${show(one)}` };
    }
    done++;
    // Cases share much: terms are kept as long as memory lasts.
    if (termCount() > MOST_TERMS) forget();
  }
  forget();
  return { done, found: undefined };
}

/**
 * Runs what `words` choose, of all modules of a folder, and reports a line for each; `every` leaves only one of so many
 * cases.
 */
export async function proveAll({ isFull, folder = DIST, builds = BUILDS, every = 1, seed = 1, words = [], report }) {
  const result = { failed: 0, cases: 0, seconds: 0 };
  for (const name of Object.keys(MODULES)) await requireSameTexts(name, folder);
  for (const build of builds) {
    // Bun's build has loops where the other one has their rounds written out: a look at all of it suffices for each
    // change.
    const step = build === "bun" && !isFull ? 3 * every : every;
    const modules = new Map();
    for (const row of rowsFor(build)) {
      const { module, name, what } = row;
      const line = `${name} ${what} ${build}`;
      if (words.length > 0 && !words.some((word) => line.includes(word))) continue;
      if (!modules.has(module)) modules.set(module, await bytesOfModule(module, build, folder));
      const bytes = modules.get(module);
      if (bytes === undefined && folder === DIST) throw new Error(`wasm/dist has no ${module} for ${build}`);
      if (bytes === undefined) continue;
      const cases = casesOf(row, isFull, seed).filter((_, i) => i % step === 0);
      for (const latency of latenciesOf(module, build)) {
        const start = process.cpuUsage();
        const { done, found } = prove(bytes, row, cases, latency);
        const { user, system } = process.cpuUsage(start);
        const seconds = (user + system) / 1e6;
        result.cases += done;
        result.seconds += seconds;
        if (found !== undefined) result.failed++;
        const title = `${found ? "FAIL" : "ok"} ${line}${latency ? `, latency ${latency}` : ""}`;
        report(`${title}: ${done} cases, ${seconds.toFixed(1)} s${found ? `: ${found}` : ""}`);
      }
    }
  }
  return result;
}
