// Which Uint8Arrays a call makes, and which bytes they have afterwards: seen from outside, by the constructor and the
// methods that make arrays.
import { vi } from "vitest";

const KERNEL = 128 * 1024;

/**
 * Watches arrays until the returned function is called, which returns them in order, with the views of kernels' memory.
 */
function watchArrays(): () => Uint8Array[] {
  const made = new Set<Uint8Array>();
  const Original = globalThis.Uint8Array;
  globalThis.Uint8Array = new Proxy(Original, {
    construct(target, args) {
      const array = Reflect.construct(target, args) as Uint8Array;
      made.add(array);
      return array;
    },
  });
  for (const [object, method] of [
    [Original.prototype, "slice"],
    [Original.prototype, "map"],
    [Original.prototype, "subarray"],
    [TextEncoder.prototype, "encode"],
  ] as const) {
    const real = Reflect.get(object, method) as (...args: unknown[]) => Uint8Array;
    vi.spyOn(object as Uint8Array, method as "slice").mockImplementation(function (this: unknown, ...args: unknown[]) {
      const array = real.apply(this, args);
      made.add(array);
      return array as Uint8Array<ArrayBuffer>;
    });
  }
  return () => {
    globalThis.Uint8Array = Original;
    vi.restoreAllMocks();
    return [...made];
  };
}

/** All arrays that are made during a call. */
export function arraysMadeDuring(call: () => unknown): Uint8Array[] {
  const end = watchArrays();
  try {
    call();
  } finally {
    end();
  }
  return end();
}

/** The same, until what the call returns is settled. */
export async function arraysMadeUntil(call: () => Promise<unknown>): Promise<Uint8Array[]> {
  const end = watchArrays();
  try {
    await call();
  } finally {
    end();
  }
  return end();
}

/** Whether an array is a view of a kernel's memory. */
export const isOfKernel = ({ buffer }: Uint8Array): boolean => buffer.byteLength === KERNEL;
