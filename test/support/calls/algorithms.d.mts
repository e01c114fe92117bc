import type { Call, Fill, Library } from "./row.mjs";

export function optionsOf(name: string): Record<string, number>[];
export function secretsOf(name: string): string[];
export function algorithmCalls(library: Library, name: string, fill?: Fill, messages?: readonly number[]): Call[];
export function backendCall(main: Library["main"], name: string): Call;
