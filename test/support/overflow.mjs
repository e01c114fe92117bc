// Stack overflows in the middle of calls, in standard JavaScript, so that every runtime can run it: each call of the package
// is made at the stack's end, some frames above it, and is either complete or throws. In both cases everything else has to
// be right afterwards: one-shots, the hasher that was interrupted, and the other objects.
import { hexOf, same } from "./overflow/expectations.mjs";
import { Interruptions } from "./overflow/interruptions.mjs";
import { repeated } from "./overflow/messages.mjs";
import { callNearStackEnd, numbersFrom, PADDINGS } from "./overflow/stack-end.mjs";

export { Interruptions } from "./overflow/interruptions.mjs";
export { secretTokens } from "./overflow/messages.mjs";
export { Neighbours } from "./overflow/neighbours.mjs";

/**
 * Makes calls of one algorithm near the stack's end until `overflows` of them have thrown, and checks everything after each.
 *
 * @param modules { main } and, for their calls, { hazmat, states }
 * @param options name: the algorithm; overflows: how many; seed: of the depths; digest: (name, message, options) -> hex, an
 *   independent one if there is, by default what the package gives at the beginning; inspect: is called after each overflow
 *   and the calls after it, when no secret may be in memory any more
 * @returns how many calls were complete and how many were interrupted, by call
 */
export function runOverflows(modules, { name, overflows, seed = 1, digest, inspect = () => {} }) {
  const interruptions = new Interruptions(modules, name, digest);
  const { count, neighbours } = interruptions;
  const report = { complete: 0, interrupted: 0, calls: {} };
  const number = numbersFrom(seed);
  // From this many frames above the end on, a call is complete; found as calls are made.
  const enough = new Array(count).fill(64);
  const most = 60 * overflows + 100 * count;
  for (let trial = 0; report.interrupted < overflows; trial++) {
    if (trial > most)
      throw new Error(`${name}: ${most} calls near the stack's end, but ${report.interrupted} overflows`);
    const index = trial % count;
    const beside = number(neighbours + 1);
    const levels = number(enough[index]);
    const near = (call) => callNearStackEnd(levels, number(PADDINGS.length), call);
    const where = `${levels} frames above the stack's end`;
    const { what, error } = interruptions.run(index, beside < neighbours ? beside : undefined, near, where);
    report[error ? "interrupted" : "complete"]++;
    if (!error) continue;
    enough[index] = Math.max(enough[index], Math.ceil(1.2 * levels) + 8);
    report.calls[what] = (report.calls[what] ?? 0) + 1;
    inspect(what, error);
  }
  return report;
}

/** The same for a pool's hashes, whose promises settle later. */
export async function runPoolOverflows({ main, parallel: { Blake3Pool } }, { overflows, seed = 1, digest }) {
  const inputs = [50, 70_000, 1_000_000].map((length) => repeated(5, length));
  const wanted = inputs.map((input) => (digest ?? ((_, message) => hexOf(main.blake3(message))))("blake3", input));
  const number = numbersFrom(seed);
  const pool = new Blake3Pool({ threads: 0 });
  let interrupted = 0;
  let enough = 64;
  try {
    for (let trial = 0; interrupted < overflows; trial++) {
      if (trial > 100 * overflows + 100) throw new Error(`the pool's hashes met ${interrupted} overflows`);
      const index = trial % inputs.length;
      const levels = number(enough);
      const outcome = callNearStackEnd(levels, number(PADDINGS.length), () => pool.hash(inputs[index]));
      const settled = await Promise.resolve(outcome.value).then(
        (value) => ({ value }),
        (error) => ({ error }),
      );
      const error = outcome.error ?? settled.error;
      if (error) {
        interrupted++;
        enough = Math.max(enough, Math.ceil(1.2 * levels) + 8);
      } else {
        same("a pool's hash near the stack's end", hexOf(settled.value), wanted[index]);
      }
      same("a pool's hash after it", hexOf(await pool.hash(inputs[index])), wanted[index]);
    }
  } finally {
    await pool.close();
  }
  return { interrupted };
}
