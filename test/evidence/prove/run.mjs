// All proofs, one after the other. Each names its module, its algorithm and what it proves; `cases` are those of which `sizes` says how
// many are chosen, in CI and in all (cases.mjs).

import { BUILDS, bytesOfModule, DIST, Different, Kernel, MODULES, requireSameTexts } from "./kernel.mjs";
import { forget, termCount } from "./machine/terms.mjs";
import * as blake3 from "./proofs/blake3.mjs";
import { choose } from "./proofs/cases.mjs";
import * as everyLength from "./proofs/every-length.mjs";
import * as lanes from "./proofs/lanes.mjs";
import * as messages from "./proofs/messages.mjs";
import * as sequences from "./proofs/sequences.mjs";
import * as subtrees from "./proofs/subtrees.mjs";

const families = [messages, lanes, blake3, subtrees, everyLength, sequences];

export function* proofs(seed = 1) {
  for (const family of families) yield* family.proofs(seed);
}

export const casesOf = ({ cases, sizes }, isFull, seed) => choose(cases, sizes[isFull ? 1 : 0], seed);

const MOST_TERMS = 500_000;
const show = (one) =>
  JSON.stringify(one, (key, value) => value?.name ?? (key === "at" ? `0x${value.toString(16)}` : value));

/** Runs cases of a module until one fails: how many passed, and what was found. */
export function prove(bytes, { module, options, prove }, cases, limit) {
  let done = 0;
  let kernel;
  try {
    kernel = new Kernel(bytes, MODULES[module], options);
  } catch (error) {
    return { done, found: `the module cannot be read: ${error.message}` };
  }
  if (limit !== undefined) kernel.machine.limit = limit;
  for (const one of cases) {
    try {
      prove(kernel, one);
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

/** Runs what `words` choose, of all modules of a folder, and reports a line for each; `every` leaves only one of so many cases. */
export async function proveAll({ isFull, folder = DIST, builds = BUILDS, every = 1, seed = 1, words = [], report }) {
  const result = { failed: 0, cases: 0, seconds: 0 };
  for (const name of Object.keys(MODULES)) await requireSameTexts(name, folder);
  for (const build of builds) {
    // Bun's build has loops where the other one has their rounds written out: a look at all of it suffices for each change.
    const step = build === "bun" && !isFull ? 3 * every : every;
    for (const proof of proofs(seed)) {
      const { module, name, what, builds: own = BUILDS } = proof;
      const line = `${name} ${what} ${build}`;
      if (!own.includes(build) || (words.length > 0 && !words.some((word) => line.includes(word)))) continue;
      const bytes = await bytesOfModule(module, build, folder);
      if (bytes === undefined && folder === DIST) throw new Error(`wasm/dist has no ${module} for ${build}`);
      if (bytes === undefined) continue;
      const start = process.cpuUsage();
      const cases = casesOf(proof, isFull, seed).filter((_, i) => i % step === 0);
      const { done, found } = prove(bytes, proof, cases);
      const { user, system } = process.cpuUsage(start);
      const seconds = (user + system) / 1e6;
      result.cases += done;
      result.seconds += seconds;
      if (found !== undefined) result.failed++;
      report(`${found ? "FAIL" : "ok"} ${line}: ${done} cases, ${seconds.toFixed(1)} s${found ? `: ${found}` : ""}`);
    }
  }
  return result;
}
