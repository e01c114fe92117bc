// The types of overflow.mjs, which is plain JavaScript for the sake of runtimes without a compiler.
import type { Call, Library } from "./calls/row.mjs";

type Package = typeof import("blake-simd");

export interface Modules extends Omit<Library, "main"> {
  readonly main: Package;
}

export interface Report {
  readonly complete: number;
  readonly interrupted: number;
  readonly calls: Record<string, number>;
}

/** How a call ended. */
export interface Outcome {
  readonly value?: unknown;
  readonly error?: unknown;
}

export type Fault = (call: () => unknown) => Outcome;

export function secret(name: string, length: number): Uint8Array;
export function secretTokens(): Uint8Array[];
export function secretCalls(modules: Modules, name: string, length?: number): Call[];

export class Faults {
  constructor(modules: Pick<Modules, "main">, name: string, calls: readonly Call[]);
  readonly count: number;
  readonly neighbours: number;
  run(index: number, beside: number | undefined, fault: Fault, where: string): Outcome & { readonly what: string };
}

export function runOverflows(
  modules: Modules,
  options: { name: string; overflows: number; seed?: number; inspect?: (what: string) => void },
): Report;
export function runPoolOverflows(
  modules: { main: Package; parallel: typeof import("blake-simd/parallel") },
  options: { overflows: number; seed?: number },
): Promise<{ interrupted: number }>;
