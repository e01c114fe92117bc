// The types of overflow.mjs, which is plain JavaScript for the sake of runtimes without a compiler.
type Package = typeof import("blake-simd");

export type Digest = (name: string, message: Uint8Array, options?: object) => string;

export interface Overflows {
  readonly name: string;
  readonly overflows: number;
  readonly seed?: number;
  readonly digest?: Digest;
  readonly inspect?: (what: string, error: unknown) => void;
}

export interface Report {
  readonly complete: number;
  readonly interrupted: number;
  readonly calls: Record<string, number>;
}

export function callNearStackEnd(
  levels: number,
  padding: number,
  call: () => unknown,
): { value: unknown; error?: unknown };
export function numbersFrom(seed: number): (below: number) => number;
export function secretTokens(): Uint8Array[];
export function secretOptions(name: string): Record<string, Uint8Array>;
export function runOverflows(
  modules: { main: Package; hazmat?: typeof import("blake-simd/hazmat") },
  options: Overflows,
): Report;
export function runPoolOverflows(
  modules: { main: Package; parallel: typeof import("blake-simd/parallel") },
  options: { overflows: number; seed?: number; digest?: Digest },
): Promise<{ interrupted: number }>;
