import type { Call, Fill, Library } from "./row.mjs";

export function subtreeCalls(library: Library, fill?: Fill): Call[];
