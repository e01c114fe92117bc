// The modes of BLAKE2: its parameters, and what each must give.

import * as blake2 from "../reference-blake2.ts";
import { createBlake2bp, createBlake2sp } from "../reference-blake2-modes.ts";
import { around, hex, pattern, range } from "./expectations.ts";
import { HEAD, INPUT_SIZE } from "./memory.ts";
import type { Mode } from "./modes.ts";

export const LAST_NODE = 1;
const PARALLEL = 2;
const EXTENDABLE = 4;
export const tree: blake2.Settings = {
  fanout: 3,
  maxDepth: 2,
  maxLeafLength: 4096,
  nodeOffset: 5n,
  nodeDepth: 1,
  innerHashLength: 9,
  lastNode: true,
};

export const sizesOf = (variant: blake2.Variant) => ({
  digest: 8 * variant.word,
  block: 16 * variant.word,
  leaves: variant.word === 8 ? 4 : 8,
  xofAt: 12,
  unknown: variant.word === 8 ? 0xffffffff : 0xffff,
});

/** What a kernel reads: the parameter block, the key, flags. */
export function blake2Parameters(variant: blake2.Variant, settings: blake2.Settings, flags: number): Uint8Array {
  const { digest } = sizesOf(variant);
  const bytes = new Uint8Array(2 * digest + 4);
  bytes.set(blake2.parameterBlock(variant, settings));
  bytes.set(settings.key ?? [], digest);
  bytes[2 * digest] = flags;
  return bytes;
}

export const withKey = (settings: blake2.Settings, key: Uint8Array | undefined): blake2.Settings =>
  key ? { ...settings, key } : settings;
/** A secret takes the place of a key. */
/** Salt and personal are no secrets (SECURITY.md), but go, too. */
function secretSettings(settings: blake2.Settings, byte: number): blake2.Settings {
  const filled = { ...settings };
  for (const name of ["key", "salt", "personal"] as const) {
    const value = settings[name];
    if (value) filled[name] = new Uint8Array(value.length).fill(byte);
  }
  return filled;
}
export const nameOf = (settings: blake2.Settings) =>
  JSON.stringify(settings, (_, value) =>
    typeof value === "bigint"
      ? `${value}`
      : value instanceof Uint8Array
        ? hex(value).slice(0, 8) + value.length
        : value,
  );

export function plainMode(variant: blake2.Variant, settings: blake2.Settings, long: readonly number[] = []): Mode {
  const { digest, block } = sizesOf(variant);
  const flags = settings.lastNode ? LAST_NODE : 0;
  const prefix = settings.key ? block : 0;
  return {
    name: `blake2 ${digest} ${nameOf(settings)}`,
    parameters: blake2Parameters(variant, settings, flags),
    block,
    outputs: [settings.length ?? digest],
    lengths: [...range(0, 6), ...around(block / 2, block, 2 * block, 3 * block, 5 * block), 1000],
    long,
    secret: (byte) => blake2Parameters(variant, secretSettings(settings, byte), flags),
    expected: (message) => blake2.blake2(variant, message, settings),
    state: (length) => {
      const total = prefix + length;
      return { size: HEAD + digest + block, buffered: total ? ((total - 1) % block) + 1 : 0, prefix, flags };
    },
    extendable: false,
  };
}

export function plainModes(variant: blake2.Variant): Mode[] {
  const { digest } = sizesOf(variant);
  const salts = { salt: pattern(2 * variant.word, 5), personal: pattern(2 * variant.word, 99) };
  return [
    plainMode(variant, {}, [INPUT_SIZE, 2 * INPUT_SIZE + 300]),
    plainMode(variant, { key: pattern(digest, 40) }, [INPUT_SIZE - 1]),
    plainMode(variant, { key: pattern(7, 3), length: 20, ...salts }),
    plainMode(variant, { lastNode: true }),
    plainMode(variant, { ...tree, key: pattern(digest, 8) }),
  ];
}

export function parallelSettings(variant: blake2.Variant): blake2.Settings {
  const { digest, leaves } = sizesOf(variant);
  return { fanout: leaves, maxDepth: 2, innerHashLength: digest };
}

export function parallelMode(
  variant: blake2.Variant,
  own: blake2.Settings,
  lengths: readonly number[],
  long: readonly number[] = [],
): Mode {
  const { digest, block, leaves } = sizesOf(variant);
  const settings = { ...own, ...parallelSettings(variant) };
  const create = variant.word === 8 ? createBlake2bp : createBlake2sp;
  const stripe = leaves * block;
  return {
    name: `parallel ${digest} ${nameOf(own)}`,
    parameters: blake2Parameters(variant, settings, PARALLEL),
    block,
    outputs: [own.length ?? digest],
    lengths,
    long,
    secret: (byte) => blake2Parameters(variant, secretSettings(settings, byte), PARALLEL),
    expected: (message) => create(own).update(message).digest(),
    state: () => ({
      size: HEAD + digest + leaves * digest + 2 * stripe,
      prefix: own.key ? stripe : 0,
      flags: PARALLEL,
    }),
    extendable: false,
  };
}

export function parallelModes(variant: blake2.Variant): Mode[] {
  const { digest, block } = sizesOf(variant);
  const edges = [...range(0, 20).flatMap((i) => around(i * block)), 2500].filter((length) => length >= 0);
  const few = edges.filter((_, i) => i % 3 === 0 || i < 40);
  return [
    parallelMode(variant, {}, [...edges, 4096, 5000], [INPUT_SIZE, INPUT_SIZE + 1500]),
    parallelMode(variant, { key: pattern(digest, 77) }, few),
    parallelMode(variant, { key: pattern(9), length: 20 }, [0, 1, 3000]),
  ];
}

/** Output of BLAKE2X from a block on. */
export function outputOfBlake2x(
  variant: blake2.Variant,
  settings: blake2.Settings,
  message: Uint8Array,
  total: number,
  at: bigint,
  length: number,
) {
  const { digest } = sizesOf(variant);
  const declared = BigInt(total) << 32n;
  const seed = blake2.finish(
    variant,
    blake2.start(variant, blake2.keyBlock(variant, settings.key), { ...settings, nodeOffset: declared }),
    message,
  );
  const { key: _, ...rest } = settings;
  const first = at / BigInt(digest);
  const last = (at + BigInt(length) - 1n) / BigInt(digest);
  const blocks = Array.from({ length: Number(last - first) + 1 }, (_, i) => {
    const number = (first + BigInt(i)) & 0xffffffffn;
    const left = total === sizesOf(variant).unknown ? digest : Math.min(digest, total - Number(number) * digest);
    const shape = { fanout: 0, maxDepth: 0, maxLeafLength: digest, innerHashLength: digest, nodeDepth: 0 };
    return blake2.blake2(variant, seed, { ...rest, ...shape, nodeOffset: declared + number, length: left });
  });
  const skip = Number(at % BigInt(digest));
  return Uint8Array.from(Buffer.concat(blocks).subarray(skip, skip + length));
}

export function extendableMode(
  variant: blake2.Variant,
  own: blake2.Settings,
  total: number,
  outputs: readonly number[],
): Mode {
  const { digest, block } = sizesOf(variant);
  const settings = { ...own, nodeOffset: BigInt(total) << 32n };
  const prefix = own.key ? block : 0;
  return {
    name: `extendable ${digest} ${nameOf(own)} ${total}`,
    parameters: blake2Parameters(variant, settings, EXTENDABLE),
    block,
    outputs,
    lengths: [0, 1, ...around(block, 2 * block), 1000],
    long: [],
    secret: (byte) => blake2Parameters(variant, secretSettings(settings, byte), EXTENDABLE),
    expected: (message, length) => outputOfBlake2x(variant, own, message, total, 0n, length),
    state: () => ({ size: HEAD + 2 * digest + block, prefix, flags: EXTENDABLE }),
    extendable: true,
  };
}
