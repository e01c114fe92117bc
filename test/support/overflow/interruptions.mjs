// Calls that are interrupted, in whatever way, with everything checked afterwards.
import { backendCall, callsOf, hasBothBackends, hazmatCalls, stateCalls } from "./calls.mjs";
import { hexOf, same } from "./expectations.mjs";
import { PENDING } from "./messages.mjs";
import { Neighbours } from "./neighbours.mjs";

/** Every kind of call of one algorithm, each to be interrupted, and what has to be right afterwards. */
export class Interruptions {
  #world;
  #calls;
  #neighbours;

  /**
   * @param modules { main } and, for their calls, { hazmat, states }
   * @param name the algorithm's
   * @param digest (name, message, options) -> hex, an independent one if there is, by default what the package gives now
   */
  constructor({ main, hazmat, states }, name, digest) {
    const known = new Map();
    const digestOf = (algorithm, message, options) => {
      const id = [algorithm, message.length, message[0], Object.keys(options ?? {}), options?.length].join();
      const hash = digest ?? (() => hexOf(main.algorithms[algorithm](message, options)));
      if (!known.has(id)) known.set(id, hash(algorithm, message, options));
      return known.get(id);
    };
    this.name = name;
    this.#world = { algorithm: main.algorithms[name], digest: digestOf };
    this.#calls = callsOf(name);
    if (states) this.#calls.push(...stateCalls(name, states));
    if (name === "blake3" && hazmat) this.#calls.push(...hazmatCalls(hazmat));
    if (hasBothBackends(main)) this.#calls.push(backendCall(name, main));
    this.#neighbours = new Neighbours(main, name, digestOf);
    // Every expected digest is known before anything goes wrong.
    for (const make of this.#calls) runCalmly(make(this.#world));
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
   * @param make makes the call and returns how it ended: { value } or { error }
   * @param where what an error's message begins with, after the call's name
   * @returns the call's name, and how it ended
   */
  run(index, beside, make, where) {
    this.#neighbours.prepare(beside ?? 0);
    const attempt = this.#calls[index](this.#world);
    if (beside !== undefined) this.#neighbours.prepare(beside);
    const outcome = make(attempt.call);
    try {
      this.#checkRest();
      attempt.check(outcome);
      this.#checkRest();
    } catch (error) {
      const cause = outcome.error ? `which ended by ${outcome.error}` : "which was complete";
      throw new Error(`${attempt.what}, ${where}, ${cause}: ${error.message}`, { cause: error });
    }
    attempt.end?.();
    return { what: attempt.what, ...outcome };
  }

  #checkRest() {
    const { algorithm, digest } = this.#world;
    same("a one-shot after it", hexOf(algorithm(PENDING)), digest(this.name, PENDING));
    this.#neighbours.check();
  }
}

function runCalmly(attempt) {
  attempt.check({ value: attempt.call() });
  attempt.end?.();
}
