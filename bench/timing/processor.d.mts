export interface Processor {
  readonly processor: string;
  readonly family?: number;
  readonly model?: number;
}

export function identify(cpu: string, told: string): Processor;
export function folderOf(processor: Processor): string;
export function vectorLatency(): number;
