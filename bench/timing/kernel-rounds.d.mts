export interface Comparison {
  readonly sizes: readonly number[];
  readonly parameters?: Uint8Array;
  readonly ways?: readonly string[];
  readonly rounds?: number;
  readonly milliseconds?: number;
}

export interface Build {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly latency: number;
}

export interface Row {
  readonly way: string;
  readonly size: number;
  readonly best: readonly number[];
}

export function compareKernels(builds: readonly Build[], comparison: Comparison): Row[];
