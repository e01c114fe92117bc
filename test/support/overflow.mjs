// Calls that a fault interrupts, in standard JavaScript, so that every runtime can run it: of the table of calls, each
// is complete or throws. It can then be made again, to the same result; and everything beside it has to be right.
import { algorithmCalls, backendCall } from "./calls/algorithms.mjs";
import { HEAD, hexOf, NO_CODE } from "./calls/row.mjs";
import { subtreeCalls } from "./calls/subtrees.mjs";

const TOKEN = 16;

/** Bytes that repeat a token of 16, so that any copy of them in memory is found by it. */
function repeated(seed, length) {
  const token = new Uint8Array(TOKEN).map((_, i) => (seed + 37 * i + 11 * i * i) % 251);
  return new Uint8Array(length).map((_, i) => token[i % TOKEN]);
}

/** What may not stay in memory: options, and messages in ASCII, so that text has the same bytes. */
export function secret(name, length) {
  if (/^(key|salt|personal|context)$/.test(name)) return repeated(101, length);
  return repeated(3, length).map((byte) => 33 + (byte % 90));
}

/** What may not be found in memory: the tokens, and their words as BLAKE has them, big-endian. */
export function secretTokens() {
  const reversed = (token, word) => {
    const bytes = token.slice();
    for (let at = 0; at < TOKEN; at += word) bytes.subarray(at, at + word).reverse();
    return bytes;
  };
  return ["message", "key"].flatMap((name) => {
    const token = secret(name, TOKEN);
    return [token, reversed(token, 4), reversed(token, 8)];
  });
}

function same(what, got, wanted) {
  if (got !== wanted) throw new Error(`${what}: got ${got}, expected ${wanted}`);
}

/** Algorithms that share a kernel, so that each is next to the others. */
const KERNELS = [/^blake2(24|56)$/, /^blake(384|512)$/, /^blake2(b|bp|xb)$/, /^blake2(s|sp|xs)$/, /^blake3$/];

/** The objects beside a call: some hold what they need in the kernel's memory, some in their own. It may stay there. */
export class Neighbours {
  constructor({ algorithms }, beside) {
    const names = Object.keys(algorithms).filter((name) => KERNELS.find((each) => each.test(beside)).test(name));
    const option = /^blake\d{3}$/.test(beside) ? "salt" : "key";
    const under = { [option]: new Uint8Array(/384|512/.test(beside) ? 32 : option === "key" ? 32 : 16).fill(0xe1) };
    const kinds = [77, 3000].map((length, i) => [
      i ? under : undefined,
      new Uint8Array(length).map((_, at) => 255 - ((7 * at) % 253)),
    ]);
    this.hashers = names.flatMap((name) =>
      kinds.map(([options, pending]) => {
        const wanted = hexOf(algorithms[name](pending, options));
        return { name, hasher: algorithms[name].create(options), pending, wanted };
      }),
    );
    this.readers = names.flatMap((name) => {
      const hasher = algorithms[name].create().update(HEAD);
      return hasher.xof ? [{ name, reader: hasher.xof(), wanted: hexOf(hasher.xof().read(300)) }] : [];
    });
  }

  /** One of them becomes the state's owner, with bytes that no state has absorbed; the others move out. */
  prepare(index) {
    for (let i = 1; i <= this.hashers.length; i++) {
      const { hasher, pending } = this.hashers[(index + i) % this.hashers.length];
      hasher.reset().update(pending);
    }
  }

  check() {
    for (const { name, hasher, wanted } of this.hashers)
      same(`a ${name} hasher beside it`, hasher.digest("hex"), wanted);
    for (const { name, reader, wanted } of this.readers) {
      reader.position = 0;
      same(`a ${name} reader beside it`, hexOf(reader.read(300)), wanted);
    }
  }
}

/** The calls of one algorithm, on secrets; of messages of one length alone, if it is given. */
export function secretCalls(modules, name, length) {
  const calls = algorithmCalls(modules, name, secret, length && [length]);
  if (length) return calls.filter(({ how }) => how.includes(` ${length} `));
  if (name === "blake3" && modules.hazmat) calls.push(...subtreeCalls(modules, secret));
  if (hasBothBackends(modules.main)) calls.push(backendCall(modules.main, name));
  return calls;
}

/** Whether the engine has both builds: only then is there anything to change. */
function hasBothBackends({ useBackend, backend }) {
  const before = backend();
  try {
    useBackend("simd128");
    return true;
  } catch {
    return false;
  } finally {
    useBackend(before);
  }
}

/** Calls of one algorithm, each to be interrupted, and what has to be right afterwards. */
export class Faults {
  #algorithm;
  #neighbours;
  #calls;
  #digest;

  constructor({ main }, name, calls) {
    this.#algorithm = main.algorithms[name];
    this.#digest = hexOf(this.#algorithm(HEAD));
    // Every result is known before anything goes wrong.
    this.#calls = calls.map((call) => {
      const { object, act } = begin(call);
      return { call, wanted: seen(call, object, act()) };
    });
    this.#neighbours = new Neighbours(main, name);
    this.#neighbours.prepare(0);
    this.#checkRest();
  }

  /** How many calls there are. */
  get count() {
    return this.#calls.length;
  }

  /** How many hashers there are beside a call's own. */
  get neighbours() {
    return this.#neighbours.hashers.length;
  }

  /**
   * Makes a call, and checks everything after it.
   *
   * @param index which call
   * @param beside which of the neighbours owns the state then; with none it is the call's own hasher, if it has one
   * @param fault makes the call and returns how it ended: { value } or { error }
   * @param where what an error's message has after the call's name
   * @returns the call's name, and how it ended
   */
  run(index, beside, fault, where) {
    const { call, wanted } = this.#calls[index];
    const what = `${call.name}${call.how}`;
    this.#neighbours.prepare(beside ?? 0);
    const { object, act } = begin(call);
    if (beside !== undefined) this.#neighbours.prepare(beside);
    const outcome = fault(act);
    try {
      this.#checkRest();
      same("the result", seen(call, object, outcome.error ? act() : outcome.value), wanted);
      this.#checkRest();
    } catch (error) {
      const cause = outcome.error ? `which ended by ${outcome.error}` : "which was complete";
      throw new Error(`${what}, ${where}, ${cause}: ${error.message}`, { cause: error });
    }
    return { what, ...outcome };
  }

  #checkRest() {
    same("a one-shot after it", hexOf(this.#algorithm(HEAD)), this.#digest);
    this.#neighbours.check();
  }
}

function begin({ make, act, args, arrays }) {
  const object = make(arrays, NO_CODE);
  const given = args(arrays, NO_CODE, object);
  return { object, act: () => act(object, ...given) };
}

/** All that has to be right of a call that was complete, as text. */
function seen({ look, arrays }, object, value) {
  const text = look(value, object, arrays).map(hexOf).join();
  for (const each of [object, value]) each?.dispose?.();
  return text;
}

const PADDINGS = Array.from({ length: 12 }, (_, count) => new Array(count).fill(0));

/**
 * Fills the stack, goes `levels` frames up again, and calls there with `padding` words more on the stack. Returns how
 * the call ended: `{ value }` or `{ error }`.
 */
function callNearStackEnd(levels, padding, call) {
  let left = levels;
  let outcome;
  function act() {
    try {
      outcome = { value: call() };
    } catch (error) {
      outcome = { error };
    }
  }
  function descend() {
    try {
      descend();
    } catch {
      // Full: from here on upwards.
    }
    // If not even this fits, the next frame makes the call.
    if (left-- <= 0 && !outcome) act(...PADDINGS[padding]);
  }
  descend();
  return outcome;
}

/** Numbers that look random and are the same in each run. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Calls `act` with an index below `count` near the stack's end until `overflows` of them have thrown. */
function* nearStackEnds(count, overflows, seed) {
  const number = randomFrom(seed);
  // From this many frames above the end on, a call is complete; found as calls are made.
  const enough = new Array(count).fill(64);
  const most = 60 * overflows + 100 * count;
  for (let trial = 0, left = overflows; left > 0; trial++) {
    if (trial > most) throw new Error(`${most} calls near the stack's end, but ${overflows - left} overflows`);
    const index = trial % count;
    const levels = number(enough[index]);
    const padding = number(PADDINGS.length);
    const error = yield { index, number, levels, near: (call) => callNearStackEnd(levels, padding, call) };
    if (!error) continue;
    left--;
    enough[index] = Math.max(enough[index], Math.ceil(1.2 * levels) + 8);
  }
}

/**
 * Makes calls of one algorithm near the stack's end until `overflows` of them have thrown.
 *
 * @param modules { main } and, for their calls, { hazmat, states }
 * @param options name: the algorithm; overflows: how many; seed: of the depths; inspect: is called after each overflow
 *   and the calls after it, when no secret may be in memory any more
 * @returns how many calls were complete and how many were interrupted, by call
 */
export function runOverflows(modules, { name, overflows, seed = 1, inspect = () => {} }) {
  const faults = new Faults(modules, name, secretCalls(modules, name));
  const report = { complete: 0, interrupted: 0, calls: {} };
  const ends = nearStackEnds(faults.count, overflows, seed);
  for (let next = ends.next(); !next.done; ) {
    const { index, number, levels, near } = next.value;
    const beside = number(faults.neighbours + 1);
    const where = `${levels} frames above the stack's end`;
    const { what, error } = faults.run(index, beside < faults.neighbours ? beside : undefined, near, where);
    report[error ? "interrupted" : "complete"]++;
    if (error) {
      report.calls[what] = (report.calls[what] ?? 0) + 1;
      inspect(what);
    }
    next = ends.next(error);
  }
  return report;
}

/** The same for a pool's hashes, whose promises settle later. */
export async function runPoolOverflows({ main, parallel: { Blake3Pool } }, { overflows, seed = 1 }) {
  const inputs = [50, 70_000, 1_000_000].map((length) => repeated(5, length));
  const wanted = inputs.map((input) => hexOf(main.blake3(input)));
  const pool = new Blake3Pool({ threads: 0 });
  try {
    const ends = nearStackEnds(inputs.length, overflows, seed);
    for (let next = ends.next(); !next.done; ) {
      const { index, near } = next.value;
      const outcome = near(() => pool.hash(inputs[index]));
      const settled = await Promise.resolve(outcome.value).then(
        (value) => ({ value }),
        (error) => ({ error }),
      );
      const error = outcome.error ?? settled.error;
      if (!error) same("a pool's hash near the stack's end", hexOf(settled.value), wanted[index]);
      same("a pool's hash after it", hexOf(await pool.hash(inputs[index])), wanted[index]);
      next = ends.next(error);
    }
  } finally {
    await pool.close();
  }
  return { interrupted: overflows };
}
