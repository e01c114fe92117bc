// What kernels are expected to give, and messages.

/** What was expected, by the name of the case; it can be kept from run to run, because plain implementations are slow. */
export const known = new Map<string, Uint8Array>();
export function expected(name: string, compute: () => Uint8Array): Uint8Array {
  const bytes = known.get(name) ?? compute();
  known.set(name, bytes);
  return bytes;
}

export const pattern = (length: number, seed = 0): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length }, (_, i) => (i + seed) % 251);

export const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

export function expectSame(actual: Uint8Array, wanted: Uint8Array, where: string): void {
  if (Buffer.compare(actual, wanted) === 0) return;
  const at = wanted.findIndex((byte, i) => byte !== actual[i]);
  throw new Error(
    `${where}: ${hex(actual.subarray(at, at + 32))} at byte ${at}, not ${hex(wanted.subarray(at, at + 32))}`,
  );
}

export const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);
export const around = (...sizes: number[]) => sizes.flatMap((size) => [size - 1, size, size + 1]);
