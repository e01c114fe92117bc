export interface Comparison {
  readonly sizes: readonly number[];
  readonly parameters?: Uint8Array;
  readonly ways?: readonly string[];
  readonly rounds?: number;
  readonly milliseconds?: number;
}

export interface Row {
  readonly way: string;
  readonly size: number;
  readonly first: number;
  readonly second: number;
  readonly ratio: number;
}

export function compareKernels(
  first: Uint8Array<ArrayBuffer>,
  second: Uint8Array<ArrayBuffer>,
  comparison: Comparison,
): Row[];
