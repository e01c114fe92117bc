export interface Instruction {
  readonly word: string;
  readonly name: string;
  readonly target: number | undefined;
}

export interface Kernel {
  readonly rotation: string;
  readonly turns?: number;
}

export function functionsIn(listing: string): Instruction[][];
export function hotCode(functions: Instruction[][], kernel: Kernel): { once: Instruction[]; again: Instruction[] };
export function laneMoves(assembly: readonly string[]): number;
export function spills(assembly: readonly string[]): number;
