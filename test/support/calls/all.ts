// The API as calls that take a caller's arrays, with what an independent implementation gives for the same bytes. ALL_ALGORITHMS=1 has those
// of every algorithm.
import * as main from "blake-simd";
import * as hmacs from "blake-simd/hmac";
import * as states from "blake-simd/states";
import * as streams from "blake-simd/streams";
import { subjects } from "../subjects.ts";
import { callsOf } from "./algorithms.ts";
import { baoCalls } from "./bao.ts";
import type { Call, Library } from "./call.ts";
import { hazmatCalls } from "./hazmat.ts";
import { hmacCalls } from "./hmac.ts";
import { nodeCalls } from "./node.ts";
import { poolCalls } from "./parallel.ts";
import { streamCalls } from "./streams.ts";

/** One algorithm of each kernel: the others differ by what all builds share. */
export const OF_EACH_KERNEL = ["blake256", "blake512", "blake2b", "blake2s", "blake3"];
const LANES = ["blake2bp", "blake2xs"];
const some = subjects.filter(({ name }) => [...OF_EACH_KERNEL, ...LANES].includes(name));

/** What every build of the package has. */
export const everywhere: readonly Call[] = [
  ...(process.env.ALL_ALGORITHMS ? subjects : some).flatMap(callsOf),
  ...streamCalls(),
  ...hmacCalls(),
];

export const library = { ...main, states, streams, hmacs } as Library;
export const calls: readonly Call[] = [
  ...everywhere,
  ...hazmatCalls(),
  ...(await baoCalls()),
  ...nodeCalls(),
  ...poolCalls(),
];
