// Compares arrays of bytes at once: `toEqual` by itself looks at each byte as a property, for seconds in some files.
import { expect } from "vitest";

expect.addEqualityTesters([
  (one: unknown, other: unknown) =>
    one instanceof Uint8Array &&
    other instanceof Uint8Array &&
    one.constructor === other.constructor &&
    Buffer.compare(one, other) === 0
      ? true
      : undefined,
]);
