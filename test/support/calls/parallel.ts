// blake-simd/parallel.
import { Blake3Pool } from "blake-simd/parallel";
import { arraysOf, blake3, type Call, messageHashed, SHORT } from "./call.ts";

export const pool = new Blake3Pool({ threads: 2 });

export function poolCalls(): Call[] {
  return [SHORT, 2 ** 20].map((length) => ({
    name: `Blake3Pool.hash of ${length} bytes`,
    subject: blake3,
    arrays: arraysOf({ message: length, key: 32 }),
    run: (_, a, code) => pool.hash(a.message!, code.options({ key: a.key! })),
    expected: messageHashed,
    // Parts of it are read at different times (docs/threads.md).
    unspecified: /overwritten/,
  }));
}
