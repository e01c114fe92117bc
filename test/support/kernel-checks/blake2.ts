// The kernels of BLAKE2.

import * as blake2 from "../reference-blake2.ts";
import { checkManyOfBlake2s } from "./blake2-many.ts";
import {
  extendableMode,
  outputOfBlake2x,
  parallelMode,
  parallelModes,
  parallelSettings,
  plainMode,
  plainModes,
  sizesOf,
  withKey,
} from "./blake2-modes.ts";
import { around, expected, expectSame, pattern, range } from "./expectations.ts";
import { OUTPUT, OUTPUT_SIZE, ROOT, STATE, type Watched, WORKERS } from "./memory.ts";
import { absorb, checkFinalize, checkMode, cuts, init, setCount } from "./modes.ts";

function checkExtendable(kernel: Watched, variant: blake2.Variant): void {
  const { digest, unknown } = sizesOf(variant);
  const key = pattern(digest, 60);
  const own = { key, salt: pattern(2 * variant.word, 33) };
  const lengths = [digest, 1, ...around(digest, 2 * digest, 4 * digest), 5 * digest - 1, 700];
  checkMode(kernel, extendableMode(variant, {}, unknown, lengths));
  checkMode(kernel, extendableMode(variant, own, unknown, [digest, OUTPUT_SIZE]));
  for (const total of [1, digest, 4 * digest + 3, 1000])
    checkMode(kernel, extendableMode(variant, own, total, [total]));
  const message = pattern(100);
  init(kernel, extendableMode(variant, own, unknown, lengths));
  absorb(kernel, message, [100]);
  kernel.call("root", [STATE], [[ROOT, WORKERS]]);
  for (const at of [
    // As long as an output of BLAKE2Xs whose length is known can be.
    2n ** 16n - 41n,
    2n ** 20n * BigInt(digest) + 1n,
    2n ** 32n - 70n,
    2n ** 32n * BigInt(digest) - 200n,
    2n ** 36n - 1n,
  ]) {
    if (at + 200n > 2n ** 32n * BigInt(digest)) continue;
    for (const length of [1, 70, 200]) {
      kernel.call("squeeze", [Number(at & 0xffffffffn), Number(at >> 32n), length], [[OUTPUT, OUTPUT + length]]);
      const wanted = expected(`extendable ${digest} ${at} ${length}`, () =>
        outputOfBlake2x(variant, own, message, unknown, at, length),
      );
      expectSame(kernel.copy(OUTPUT, length), wanted, `BLAKE2X ${digest}, ${length} bytes of output from ${at}`);
    }
  }
}

/** Bytes before a message, near the carries of a byte counter of two words. */
function countsOfBlake2(variant: blake2.Variant, unit: number): bigint[] {
  const carry = 1n << BigInt(8 * variant.word);
  return [1n, 2n, 3n, 6n, 9n]
    .map((blocks) => carry - blocks * BigInt(unit))
    .concat([carry, 7n * carry, carry * carry - BigInt(20 * unit)]);
}

function checkCountersOfBlake2(kernel: Watched, variant: blake2.Variant): void {
  const { block } = sizesOf(variant);
  for (const key of [undefined, pattern(20)]) {
    const mode = plainMode(variant, withKey({}, key));
    const start = blake2.start(variant, blake2.keyBlock(variant, key), withKey({}, key));
    for (const before of countsOfBlake2(variant, block)) {
      for (const length of [1, block, block + 1, 2 * block, 4 * block + 9]) {
        init(kernel, mode);
        setCount(kernel, before);
        const message = pattern(length);
        absorb(kernel, message, cuts[length % 6]!);
        const wanted = expected(`${mode.name} ${length} after ${before}`, () =>
          blake2.finish(variant, { ...start, compressed: before }, message),
        );
        checkFinalize(kernel, 0, wanted, `${mode.name}, ${length} bytes after ${before}`);
      }
    }
  }
}

function checkCountersOfParallel(kernel: Watched, variant: blake2.Variant): void {
  const { block, leaves } = sizesOf(variant);
  const stripe = leaves * block;
  const mode = parallelMode(variant, {}, []);
  const settings = parallelSettings(variant);
  for (const perLeaf of countsOfBlake2(variant, block).slice(0, -1)) {
    for (const length of [stripe, stripe + 1, 2 * stripe, 3 * stripe - block, 5 * stripe + 77]) {
      const message = pattern(length);
      init(kernel, mode);
      setCount(kernel, perLeaf * BigInt(leaves));
      absorb(kernel, message, cuts[length % 7]!);
      const wanted = expected(`${mode.name} ${length} after ${perLeaf}`, () => {
        const digests = range(0, leaves - 1).map((leaf) => {
          const own = blake2.start(variant, new Uint8Array(), { ...settings, nodeOffset: BigInt(leaf) });
          const part = Buffer.concat(
            range(0, Math.ceil(length / stripe)).map((i) =>
              message.subarray(i * stripe + leaf * block).subarray(0, block),
            ),
          );
          return blake2.finish(variant, { ...own, compressed: perLeaf }, part, leaf === leaves - 1);
        });
        const root = blake2.start(variant, new Uint8Array(), { ...settings, nodeDepth: 1 });
        return blake2.finish(variant, root, Buffer.concat(digests), true);
      });
      checkFinalize(kernel, 0, wanted, `${mode.name}, ${length} bytes after ${perLeaf}`);
    }
  }
}

export function checkBlake2(kernel: Watched, variant: blake2.Variant): void {
  for (const mode of plainModes(variant)) checkMode(kernel, mode);
  checkCountersOfBlake2(kernel, variant);
}

export function checkBlake2Lanes(kernel: Watched, variant: blake2.Variant): void {
  for (const mode of parallelModes(variant)) checkMode(kernel, mode);
  checkExtendable(kernel, variant);
  if (kernel.has("lanes")) {
    const lanes = kernel.call("lanes", [], []);
    if (lanes !== 4) throw new Error(`lanes() is ${lanes}, not 4`);
  }
  if (kernel.has("many")) checkManyOfBlake2s(kernel);
  checkCountersOfParallel(kernel, variant);
}
