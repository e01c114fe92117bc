// Copies of secrets in JavaScript's own memory are zeroed when they have served: a state that is saved or restored, a
// reader's root. The copies are seen through `set` and `slice`, which the package calls to make them.
import { type Algorithm, algorithms, blake2xb, blake2xs, blake3 } from "blake-simd";
import { restore, save } from "blake-simd/states";
import { afterEach, expect, it, vi } from "vitest";
import { expectBytes, pattern } from "../support/messages.ts";
import { expectedDigest } from "../support/oracle.ts";

const all = Object.entries(algorithms) as unknown as [string, Algorithm<object>][];
const keyless = /^blake\d\d\d$/;
const isZero = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);

afterEach(() => {
  vi.restoreAllMocks();
});

/** All arrays that `set` writes to during a call. */
function writtenDuring(call: () => void): Uint8Array[] {
  const sets = vi.spyOn(Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array, "set");
  call();
  const written = sets.mock.contexts as unknown as Uint8Array[];
  sets.mockRestore();
  return written;
}

it.each(all)("%s: the copies of a state with which `save` and `restore` work", (name, algorithm) => {
  const secret = keyless.test(name)
    ? { salt: pattern(name === "blake224" || name === "blake256" ? 16 : 32) }
    : { key: pattern(32) };
  const hasher = algorithm.create(secret).update("secret");
  const saved = save(hasher);
  const refused = saved.with(-1, saved.at(-1)! ^ 1);
  const calls = [
    () => save(hasher),
    () => restore(algorithm, saved),
    () => expect(() => restore(algorithm, refused)).toThrow(RangeError),
  ];
  for (const call of calls) {
    // Only the kernel's memory keeps a hasher's state.
    const copies = writtenDuring(call).filter(({ buffer }) => buffer.byteLength < 65_536);
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
