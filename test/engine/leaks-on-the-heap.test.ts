// Copies of secrets in JavaScript's own memory are zeroed when they have served: a saved state that is read, a reader's
// root. The copies are seen through the constructor and through `slice`, which the package calls to make them.
import { type Algorithm, algorithms, blake2xb, blake2xs, blake3 } from "blake-simd";
import { restore, save } from "blake-simd/states";
import { afterEach, expect, it, vi } from "vitest";
import { expectBytes, pattern } from "../support/messages.ts";
import { expectedDigest } from "../support/oracle.ts";

const all = Object.entries(algorithms) as unknown as [string, Algorithm<object>][];
const keyless = /^blake\d\d\d$/;
const isZero = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** All arrays that `new Uint8Array(bytes)` makes during a call. */
function madeDuring(call: () => void): Uint8Array[] {
  const made: Uint8Array[] = [];
  const Real = Uint8Array;
  const Recording = new Proxy(Real, {
    construct(target, args, newTarget) {
      const array = Reflect.construct(target, args, newTarget);
      made.push(array);
      return array;
    },
  });
  vi.stubGlobal("Uint8Array", Recording);
  try {
    call();
  } finally {
    vi.unstubAllGlobals();
  }
  return made;
}

it.each(all)("%s: the copy of a saved state that `restore` checks", (name, algorithm) => {
  const secret = keyless.test(name)
    ? { salt: pattern(name === "blake224" || name === "blake256" ? 16 : 32) }
    : { key: pattern(32) };
  const saved = save(algorithm.create(secret).update("secret"));
  for (const state of [saved, saved.with(-1, saved.at(-1)! ^ 1)]) {
    const copies = madeDuring(() => {
      try {
        restore(algorithm, state);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }).filter(({ length }) => length === state.length);
    expect(copies.length).toBeGreaterThan(0);
    for (const copy of copies) expect(isZero(copy)).toBe(true);
  }
  expectBytes(restore(algorithm, saved).digest(), expectedDigest(name, Buffer.from("secret"), secret));
});

it.each([blake3, blake2xb, blake2xs].map((algorithm) => [algorithm.algorithm, algorithm] as const))(
  "%s: the root of a reader that is disposed of",
  (name, algorithm) => {
    const slices = vi.spyOn(Uint8Array.prototype, "slice");
    const hasher = algorithm.create({ key: pattern(32) }).update("secret");
    const xof = hasher.xof();
    const copies = slices.mock.results.map(({ value }) => value as Uint8Array);
    slices.mockRestore();
    const roots = copies.filter((copy) => copy.length >= 64 && !isZero(copy));
    expect(roots.length).toBeGreaterThan(0);
    const before = roots.map((root) => root.slice());
    const wanted = expectedDigest(name, Buffer.from("secret"), { key: pattern(32) });
    expectBytes(xof.read(wanted.length), wanted);
    xof.dispose();
    expect(roots.some((root, i) => isZero(root) && !isZero(before[i]!))).toBe(true);
    expect(() => xof.read(1)).toThrow("disposed");
    expectBytes(hasher.digest(), wanted);
  },
);
