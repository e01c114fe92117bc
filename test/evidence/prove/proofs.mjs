// All proofs, one after the other.
import * as blake1 from "./blake1.mjs";
import * as blake2 from "./blake2.mjs";
import * as blake3 from "./blake3.mjs";
import { BUILDS, bytesOfModule, DIST, Different, Kernel, MODULES, requireSameTexts } from "./kernel.mjs";
import * as lanes from "./lanes.mjs";
import * as longPieces from "./long-pieces.mjs";
import * as loops from "./loops.mjs";
import * as sequences from "./sequences.mjs";
import * as subtrees from "./subtrees.mjs";
import { forget, termCount } from "./terms.mjs";

const families = [blake1, blake2, lanes, blake3, subtrees, sequences, longPieces, loops];

/** Each proof: its module, algorithm and what it proves, and cases that take a kernel. */
export function* proofs(isFull, seed = 1) {
  for (const family of families) yield* family.proofs(isFull, seed);
}

const MOST_TERMS = 1_000_000;

/** Runs cases until one fails: how many passed, and what was found. */
export function prove(kernel, cases) {
  let done = 0;
  for (const prove of cases) {
    try {
      prove(kernel);
    } catch (error) {
      if (!(error instanceof Different)) throw error;
      forget();
      return { done, found: error.message };
    }
    done++;
    // Cases share much: terms are kept as long as memory lasts.
    if (termCount() > MOST_TERMS) forget();
  }
  forget();
  return { done, found: undefined };
}

export async function proveAll({
  isFull = false,
  folder = DIST,
  builds = BUILDS,
  every = 1,
  seed = 1,
  bail = false,
  words = [],
  report = () => {},
}) {
  const result = { failed: 0, cases: 0, seconds: 0 };
  for (const name of Object.keys(MODULES)) await requireSameTexts(name, folder);
  for (const build of builds) {
    // Bun's build has loops where the other one has their rounds written out: a look at all of it suffices for each change.
    const step = build === "bun" && !isFull ? 3 * every : every;
    for (const [module, algorithm, what, cases, { options, builds: own = BUILDS } = {}] of proofs(isFull, seed)) {
      const line = `${algorithm} ${what} ${build}`;
      if (!own.includes(build) || (words.length > 0 && !words.some((word) => line.includes(word)))) continue;
      const bytes = await bytesOfModule(module, build, folder);
      if (bytes === undefined && folder === DIST) throw new Error(`wasm/dist has no ${module} for ${build}`);
      if (bytes === undefined) continue;
      const start = process.cpuUsage();
      const { done, found } = prove(
        new Kernel(bytes, MODULES[module], options),
        cases.filter((_, i) => i % step === 0),
      );
      const { user, system } = process.cpuUsage(start);
      const seconds = (user + system) / 1e6;
      result.cases += done;
      result.seconds += seconds;
      report(
        `${found === undefined ? "ok" : "FAIL"} ${line}: ${done} cases, ${seconds.toFixed(1)} s${found === undefined ? "" : `: ${found}`}`,
      );
      if (found === undefined) continue;
      result.failed++;
      if (bail) return result;
    }
  }
  return result;
}
