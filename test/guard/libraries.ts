// The builds of the package, each with the calls that it has.
import * as main from "blake-simd/javascript";
import * as hmacs from "blake-simd/javascript/hmac";
import * as states from "blake-simd/javascript/states";
import * as streams from "blake-simd/javascript/streams";
import * as typed from "blake-simd/javascript/typed";
import { allCalls, type Build, callsOf, library, OF_EACH_KERNEL, withArrays } from "../support/calls/all.ts";
import type { Call } from "../support/calls/row.mjs";

const javascript = { main, states, streams, hmacs, typed } as unknown as Build;

/** The cycles of a vector operation choose between BLAKE3's shapes in the build with SIMD: nothing else changes. */
export const libraries: [name: string, latency: 1 | 2, library: Build, calls: readonly Call[]][] = [
  ["WebAssembly", 1, library, withArrays(allCalls)],
  ["WebAssembly", 2, library, withArrays(allCalls.filter(({ of }) => of === "blake3"))],
  ["JavaScript", 1, javascript, withArrays(callsOf(javascript, OF_EACH_KERNEL))],
];
