// Checks of errors: their kind, and that they name the algorithm, the parameter, what it may be, and what came.
import { expect } from "vitest";

export type ErrorKind = ErrorConstructor | TypeErrorConstructor | RangeErrorConstructor;

/** Expects an error of exactly this kind whose message has all fragments, in their order. */
export function expectError(act: () => unknown, kind: ErrorKind, ...fragments: string[]): string {
  const error = caught(act);
  expect(error, `an error with ${fragments.join(" ... ")}`).toBeInstanceOf(Error);
  const { message } = error as Error;
  expect((error as Error).constructor, message).toBe(kind);
  let at = 0;
  for (const fragment of fragments) {
    const found = message.indexOf(fragment, at);
    expect(found, `${JSON.stringify(fragment)} in ${JSON.stringify(message)}`).toBeGreaterThanOrEqual(0);
    at = found + fragment.length;
  }
  return message;
}

function caught(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

/**
 * Expects an act to take less than so many milliseconds: the least of many times, since others use the processor, too.
 */
export async function expectQuick(milliseconds: number, act: () => unknown): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 50 && least >= milliseconds; i++) {
    const start = performance.now();
    await act();
    least = Math.min(least, performance.now() - start);
  }
  expect(least, "milliseconds").toBeLessThan(milliseconds);
}

/** Returns what the error of a call says, which may come later. */
export async function messageOf(act: () => unknown): Promise<string> {
  try {
    await act();
  } catch (error) {
    return (error as Error).message;
  }
  return "no error";
}

/** Values that are neither bytes nor text, with how an error message describes them. */
export const notBytes: readonly (readonly [value: unknown, got: string])[] = [
  [undefined, "undefined"],
  [null, "null"],
  [0, "a number"],
  [Number.NaN, "a number"],
  [7n, "a bigint"],
  [true, "a boolean"],
  [Symbol("s"), "a symbol"],
  [() => "text", "a function"],
  [Uint8Array, "a function"],
  [{}, "an object (Object)"],
  [Object.create(null), "an object (Object)"],
  [[], "an array"],
  [[1, 2, 3], "an array"],
  [new Date(0), "an object (Date)"],
  [new Map(), "an object (Map)"],
  [new String("text"), "an object (String)"],
  [{ length: 3 }, "an object (Object)"],
  [{ byteLength: 3, byteOffset: 0, buffer: new ArrayBuffer(3) }, "an object (Object)"],
  [Promise.resolve("text"), "an object (Promise)"],
  [new Blob(["text"]), "an object (Blob)"],
  [new WebAssembly.Memory({ initial: 1 }), "an object (WebAssembly.Memory)"],
  // Objects that look like buffers and views, and are none.
  [{ [Symbol.toStringTag]: "ArrayBuffer" }, ""],
  [{ [Symbol.toStringTag]: "SharedArrayBuffer", length: 3 }, ""],
  [Object.create(ArrayBuffer.prototype), ""],
  [Object.create(Uint8Array.prototype), "an object"],
  [new Proxy(new Uint8Array(3), {}), "an object"],
];

/** A buffer whose memory went elsewhere. */
export function detach<T extends ArrayBuffer>(buffer: T): T {
  structuredClone(buffer, { transfer: [buffer] });
  return buffer;
}

/** A view whose buffer shrank to less than the view's start. */
export function outOfBounds(view: (buffer: ArrayBuffer) => ArrayBufferView): ArrayBufferView {
  const buffer = new ArrayBuffer(64, { maxByteLength: 64 });
  const bytes = view(buffer);
  buffer.resize(4);
  return bytes;
}
