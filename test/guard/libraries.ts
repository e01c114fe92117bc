// The builds of the package, each with the calls that it has.
import * as javascript from "blake-simd/javascript";
import * as hmacs from "blake-simd/javascript/hmac";
import * as states from "blake-simd/javascript/states";
import * as streams from "blake-simd/javascript/streams";
import { calls, everywhere, library, OF_EACH_KERNEL } from "../support/calls/all.ts";
import type { Call, Library } from "../support/calls/call.ts";

export const libraries: [name: string, library: Library, calls: readonly Call[]][] = [
  ["WebAssembly", library, calls],
  [
    "JavaScript",
    { ...javascript, states, streams, hmacs } as Library,
    everywhere.filter(({ subject }) => OF_EACH_KERNEL.includes(subject.name)),
  ],
];
