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

export function secretTokens(): Uint8Array[];
export interface Modules {
  readonly main: Package;
  readonly hazmat?: typeof import("blake-simd/hazmat");
  readonly states?: typeof import("blake-simd/states");
}

/** How a call ended. */
export interface Outcome {
  readonly value?: unknown;
  readonly error?: unknown;
}

export class Interruptions {
  constructor(modules: Modules, name: string, digest?: Digest);
  readonly name: string;
  readonly count: number;
  readonly neighbours: number;
  run(
    index: number,
    beside: number | undefined,
    make: (call: () => unknown) => Outcome,
    where: string,
  ): Outcome & { readonly what: string };
}

/** Objects of all algorithms of the kernel of one; the hasher that was prepared owns the state. */
export class Neighbours {
  constructor(main: Package, name: string, digest: Digest);
  prepare(index: number): void;
  check(where?: string): void;
}

export function runOverflows(modules: Modules, options: Overflows): Report;
export function runPoolOverflows(
  modules: { main: Package; parallel: typeof import("blake-simd/parallel") },
  options: { overflows: number; seed?: number; digest?: Digest },
): Promise<{ interrupted: number }>;
