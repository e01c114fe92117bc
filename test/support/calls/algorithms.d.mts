import type { Call, Fill, Library } from "./row.mjs";

export function secretsOf(name: string): string[];
export function algorithmCalls(library: Library, name: string, fill?: Fill, messages?: readonly number[]): Call[];
