// The public API of each build as calls that take a caller's arrays. ALL_ALGORITHMS=1 has those of every algorithm.
import * as main from "blake-simd";
import * as hmacs from "blake-simd/hmac";
import * as javascript from "blake-simd/javascript";
import * as javascriptHmacs from "blake-simd/javascript/hmac";
import * as javascriptStates from "blake-simd/javascript/states";
import * as javascriptStreams from "blake-simd/javascript/streams";
import * as states from "blake-simd/states";
import * as streams from "blake-simd/streams";
import { subjects } from "../../support/subjects.ts";
import { callsOf } from "./algorithms.ts";
import { baoCalls } from "./bao.ts";
import type { Call, Library } from "./call.ts";
import { hazmatCalls } from "./hazmat.ts";
import { hmacCalls } from "./hmac.ts";
import { nodeCalls } from "./node.ts";
import { poolCalls } from "./parallel.ts";
import { streamCalls } from "./streams.ts";

/** One algorithm of each kernel: the others differ by what all builds share. */
const OF_EACH_KERNEL = ["blake256", "blake512", "blake2b", "blake2s", "blake3"];
const LANES = ["blake2bp", "blake2xs"];
const [all, some] = [subjects, subjects.filter(({ name }) => [...OF_EACH_KERNEL, ...LANES].includes(name))];

const everywhere: readonly Call[] = [
  ...(process.env.ALL_ALGORITHMS ? all : some).flatMap(callsOf),
  ...streamCalls(),
  ...hmacCalls(),
];
const withWebAssembly = [...hazmatCalls(), ...(await baoCalls()), ...nodeCalls(), ...poolCalls()];

/** The builds, each with the calls that it has. */
export const libraries: [name: string, library: Library, calls: readonly Call[]][] = [
  ["WebAssembly", { ...main, states, streams, hmacs } as Library, [...everywhere, ...withWebAssembly]],
  [
    "JavaScript",
    { ...javascript, states: javascriptStates, streams: javascriptStreams, hmacs: javascriptHmacs } as Library,
    everywhere.filter(({ subject }) => OF_EACH_KERNEL.includes(subject.name)),
  ],
];
