// What every digest must be, from implementations that share nothing with this package: @noble/hashes, and the plain
// references for what noble does not have: tree parameters, BLAKE2bp, BLAKE2sp, BLAKE2Xb and BLAKE2Xs.
import { blake224, blake256, blake384, blake512 } from "@noble/hashes/blake1.js";
import { blake2b, blake2s } from "@noble/hashes/blake2.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { BLAKE2B, BLAKE2S, blake2 } from "./reference-blake2.ts";
import { createBlake2bp, createBlake2sp, createBlake2xb, createBlake2xs } from "./reference-blake2-modes.ts";

export interface Options {
  length?: number;
  key?: Uint8Array;
  context?: Uint8Array;
  salt?: Uint8Array;
  personal?: Uint8Array;
  fanout?: number;
  maxDepth?: number;
  maxLeafLength?: number;
  nodeOffset?: bigint;
  nodeDepth?: number;
  innerHashLength?: number;
  lastNode?: boolean;
}

type Oracle = (message: Uint8Array, options: Options) => Uint8Array;

const TREE = ["fanout", "maxDepth", "maxLeafLength", "nodeOffset", "nodeDepth", "innerHashLength", "lastNode"];

function padded(bytes: Uint8Array | undefined, length: number): Uint8Array {
  const all = new Uint8Array(length);
  all.set(bytes ?? []);
  return all;
}

interface NobleOptions {
  dkLen: number;
  salt: Uint8Array;
  personalization: Uint8Array;
  key?: Uint8Array;
}

type Noble = (message: Uint8Array, options: NobleOptions) => Uint8Array;

function blake2Oracle(plain: Noble, variant: typeof BLAKE2B, word: number): Oracle {
  return (message, options) => {
    if (TREE.some((parameter) => parameter in options)) return blake2(variant, message, options);
    return plain(message, {
      dkLen: options.length ?? 8 * word,
      salt: padded(options.salt, 2 * word),
      personalization: padded(options.personal, 2 * word),
      ...(options.key ? { key: options.key } : {}),
    });
  };
}

function blake3Oracle(message: Uint8Array, { length, ...mode }: Options): Uint8Array {
  return blake3(message, { dkLen: length ?? 32, ...mode });
}

const oracles: Record<string, Oracle> = {
  blake224: (message, options) => blake224(message, options),
  blake256: (message, options) => blake256(message, options),
  blake384: (message, options) => blake384(message, options),
  blake512: (message, options) => blake512(message, options),
  blake2b: blake2Oracle(blake2b, BLAKE2B, 8),
  blake2s: blake2Oracle(blake2s, BLAKE2S, 4),
  blake2bp: (message, options) => createBlake2bp(options).update(message).digest(),
  blake2sp: (message, options) => createBlake2sp(options).update(message).digest(),
  blake2xb: (message, options) => createBlake2xb(options).update(message).digest(),
  blake2xs: (message, options) => createBlake2xs(options).update(message).digest(),
  blake3: blake3Oracle,
};

export function expectedDigest(algorithm: string, message: Uint8Array, options: Options = {}): Uint8Array {
  const oracle = oracles[algorithm];
  if (!oracle) throw new Error(`no independent implementation is known for ${algorithm}`);
  return oracle(message, options);
}
