import { algorithms } from "../index.js";

/** What the command needs of an algorithm. */
export interface Algorithm {
  readonly algorithm: string;
  readonly digestLength: number;
  create(options?: Options): Hasher;
}

export interface Hasher {
  update(input: Uint8Array): unknown;
  digest(): Uint8Array;
  reset(): this;
  dispose(): void;
}

export interface Options {
  length?: number;
  key?: Uint8Array;
  context?: Uint8Array;
}

// Each algorithm refuses the options that it does not have.
const byName = algorithms as Readonly<Record<string, Algorithm>>;

export const algorithmList: readonly Algorithm[] = Object.values(byName);

export const algorithmNamed = (name: string): Algorithm | undefined =>
  Object.hasOwn(byName, name) ? byName[name] : undefined;

/** The name in tagged lines, as b2sum and b3sum write it: BLAKE2b, BLAKE3. */
export const tagOf = (algorithm: Algorithm): string => algorithm.algorithm.replace("blake", "BLAKE");
