// The table of calls: the whole API, each call with arguments that are right, and what it has to give. What changing
// memory, wrong arguments, missing keys, polluted prototypes, getters, faults and leaks are shown of goes over it.
import * as main from "blake-simd";
import * as hazmat from "blake-simd/hazmat";
import * as hmacs from "blake-simd/hmac";
import * as states from "blake-simd/states";
import * as streams from "blake-simd/streams";
import * as typed from "blake-simd/typed";
import { afterAll } from "vitest";
import { algorithmCalls } from "./algorithms.mjs";
import { baoCalls } from "./bao.ts";
import { helperCalls, hmacCalls, nodeCalls, pool, poolCalls, streamCalls } from "./others.ts";
import { type Bytes, type Call, type Library, NO_CODE } from "./row.mjs";
import { subtreeCalls } from "./subtrees.mjs";

afterAll(() => pool.close());

export const library = { main, states, streams, hmacs, hazmat, typed } as unknown as Build;

/** A build of the package, as far as every build has it. */
export interface Build extends Library {
  readonly streams: typeof streams;
  readonly hmacs: typeof hmacs;
}

/** The calls that every build has. */
export function callsOf(build: Build, names = Object.keys(build.main.algorithms)): Call[] {
  return names.flatMap((name) => {
    const algorithm = build.main.algorithms[name] as never;
    return [
      ...algorithmCalls(build, name),
      ...hmacCalls(build.hmacs, algorithm),
      ...streamCalls(build.streams, algorithm),
    ];
  });
}

const bao = await baoCalls();

/** Every call of the API. */
export const allCalls: readonly Call[] = [
  ...callsOf(library),
  ...Object.values(library.main.algorithms).flatMap((algorithm) => nodeCalls(algorithm as never)),
  ...subtreeCalls(library),
  ...bao,
  ...poolCalls(),
  ...helperCalls(),
];

/** One algorithm of each kernel, and of each kind of lanes: the others differ by what all builds share. */
export const OF_EACH_KERNEL = ["blake256", "blake512", "blake2b", "blake2s", "blake3"];
export const SOME = [...OF_EACH_KERNEL, "blake2bp", "blake2xs"];

/** Whether a call is tried by itself: of HMAC and of streams for the algorithms that another implementation has. */
const isTried = ({ name, of, how }: Call): boolean =>
  (process.env.ALL_ALGORITHMS !== undefined || SOME.includes(of)) &&
  !/65536|, text/.test(how) &&
  // What is done in pieces or with the digest is the same under all options.
  !(/under|^restore/.test(`${name}${how}`) && /\d{5}/.test(how)) &&
  (!/Stream|digestOf/.test(name) || of === "blake3") &&
  (!/createHash|hashThrough/.test(name) || of === "blake2b");

/** Whether a caller's bytes come in by the call itself, and not by what made its object. */
const takesBytes = ({ peek, args, arrays }: Call): boolean =>
  !peek || args(arrays, NO_CODE).some((value) => Object.values(arrays).includes(value as Bytes));

/**
 * The calls that take a caller's bytes, and what an independent implementation gives for them; `ALL_ALGORITHMS=1` for
 * all algorithms.
 */
export const withArrays = (calls: readonly Call[]): Call[] =>
  calls.filter((call) => call.expected && Object.keys(call.arrays).length > 0 && isTried(call) && takesBytes(call));

const seen = new Set<string>();

/** Each call once, as its errors name it, with arguments that are right. */
export const eachCall: readonly Call[] = allCalls.filter(({ name, of }) => {
  const isNew = !seen.has(`${name} ${of}`);
  seen.add(`${name} ${of}`);
  return isNew;
});
