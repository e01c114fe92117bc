// What a call may do while a caller's memory changes or a caller's code runs, and what was wrong.
import type { Hasher } from "blake-simd";
import { pattern, same } from "../messages.ts";
import { expected, keyOf } from "../subjects.ts";
import { oracle, subjectOf } from "./call.ts";
import { type Arrays, type Bytes, type Call, concat, type Library } from "./row.mjs";

/** A change of one array. */
interface Changed {
  readonly name: string;
  /** What a caller's own code may throw. */
  readonly own?: RegExp;
  /** Whatever the call itself does, the hashers beside it stay right. */
  readonly isUnspecified?: boolean;
  readonly change: { readonly name: string; after(before: Bytes): Bytes | undefined };
}

/** An error in the package's wording, not the engine's. */
const CLEAR =
  /^[\w .(),[\]-]+: (.* must .*, got |.* does not match the root hash|input (ended early,|goes on after) )/s;

/** Hashers in progress beside a call; the last one owns the state, and its bytes wait in the kernel. */
export class Beside {
  readonly #hashers: { hasher: Hasher; message: Bytes; wanted: Bytes }[];

  constructor({ main: { algorithms } }: Library, call: Call) {
    const subject = subjectOf(call);
    const algorithm = algorithms[call.of]!;
    this.#hashers = [
      { message: pattern(3000), options: {} },
      { message: pattern(90), options: subject.secretFrom(keyOf(64)) },
    ].map(({ message, options }) => {
      return { hasher: algorithm.create(options), message, wanted: expected(subject, message, options) };
    });
  }

  start(): void {
    for (const { hasher, message } of this.#hashers) hasher.reset().update(message);
  }

  areRight(): boolean {
    return this.#hashers.every(({ hasher, wanted }) => same(hasher.digest(), wanted));
  }
}

export class Outcomes {
  readonly #call: Call;
  readonly #beside: Beside;
  readonly #problems = new Map<string, number>();
  readonly #known = new Map<string, Bytes | undefined>();

  constructor(call: Call, library: Library) {
    this.#call = call;
    this.#beside = new Beside(library, call);
  }

  /** Each problem, and how often it was met. */
  get problems(): string[] {
    return [...this.#problems].map(([problem, count]) => `${problem} (${count} times)`);
  }

  /** Runs a call, and looks at what it did, given which array was changed meanwhile. */
  async of(run: () => Bytes | Promise<Bytes>, changed: () => Changed | undefined = () => undefined): Promise<void> {
    this.#attempt("", () => this.#beside.start());
    let result: Bytes | undefined;
    let error: unknown;
    try {
      result = await run();
    } catch (thrown) {
      error = thrown;
    }
    const change = changed();
    const what = change ? `${change.name} is ${change.change.name}: ` : "";
    const problem = result ? this.#inResult(result, change) : this.#inError(error, change);
    if (problem && !change?.isUnspecified) this.#add(what + problem);
    this.#attempt(what, () => {
      if (!this.#beside.areRight()) this.#add(`${what}another hasher's digest is wrong`);
    });
  }

  /** Uses the hashers beside a call. */
  #attempt(what: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#add(`${what}another hasher throws ${error}`);
    }
  }

  #add(problem: string): void {
    this.#problems.set(problem, (this.#problems.get(problem) ?? 0) + 1);
  }

  #inError(error: unknown, change: Changed | undefined): string | undefined {
    const text = String((error as Error).message);
    return change && (CLEAR.test(text) || change.own?.test(text)) ? undefined : `throws ${error}`;
  }

  #inResult(result: Bytes, change: Changed | undefined): string | undefined {
    const { arrays, unspecified } = this.#call;
    const isRight = (known: string, after: Arrays) => {
      const wanted = this.#expected(known, after);
      if (!wanted) return false;
      // An output, which comes last, that has grown, or lost bytes again, is compared as far as it goes.
      const size = arrays.output ? Math.min(wanted.length, result.length) : Math.max(wanted.length, result.length);
      return same(result.subarray(0, size), wanted.subarray(0, size));
    };
    if (isRight("", arrays)) return undefined;
    if (!change) return "a wrong result";
    const { name } = change;
    const before = arrays[name]!;
    const after = change.change.after(before);
    const isOutput = name === "output";
    if (isOutput && !change.change.name.startsWith("grown")) return undefined;
    if (unspecified?.test(change.change.name)) return undefined;
    if (after && isRight(`${name} ${change.change.name}`, { ...arrays, [name]: after })) return undefined;
    if (
      after &&
      cuts(before).some((cut) =>
        isRight(`${name} ${change.change.name} ${cut}`, { ...arrays, [name]: mixed(before, after, cut) }),
      )
    )
      return undefined;
    return "a wrong result";
  }

  #expected(known: string, arrays: Arrays): Bytes | undefined {
    if (!this.#known.has(known))
      this.#known.set(
        known,
        orUndefined(() => {
          const parts = this.#call.expected!(arrays, oracle);
          return parts && concat(...parts);
        }),
      );
    return this.#known.get(known);
  }
}

/** What an act returns, unless it throws. */
function orUndefined<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** Where a long message, or one after other bytes, may be divided: what is copied first is older than the rest. */
function cuts({ length }: Bytes): number[] {
  const step = length > 100_000 ? 65_536 : 64;
  const all = Array.from({ length: Math.ceil(length / step) }, (_, i) => i * step);
  return all.flatMap((cut) => [cut, cut - 4]).filter((cut) => cut > 0);
}

function mixed(before: Bytes, after: Bytes, cut: number): Bytes {
  return Buffer.concat([before.subarray(0, cut), after.subarray(cut, before.length)]);
}
