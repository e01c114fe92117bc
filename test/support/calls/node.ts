// blake-simd/node.
import { finished } from "node:stream/promises";
import { blake2s as nobleBlake2s } from "@noble/hashes/blake2.js";
import { hmac as nobleHmac } from "@noble/hashes/hmac.js";
import { createHash, createHmac, hashThrough } from "blake-simd/node";
import { type Arrays, arraysOf, type Bytes, type Call, digest, of, optionsIn, SHORT } from "./call.ts";

/** Writes a chunk to a stream of Node's. */
function write(stream: NodeJS.ReadWriteStream, chunk: Bytes): void {
  stream.resume();
  try {
    stream.end(chunk);
  } catch (error) {
    // Node's own, for a detached chunk.
    throw new TypeError(`write: chunk must have bytes, got ${error}`);
  }
}

export function nodeCalls(): Call[] {
  const calls: [name: string, subject: string, run: Call["run"], expected?: Call["expected"]][] = [
    [
      "createHash",
      "blake2b",
      (_, a, code) =>
        createHash("blake2b512", code.options({ key: a.key! }))
          .update(a.data!)
          .digest(),
    ],
    [
      "createHash, a stream",
      "blake2b",
      async (_, a, code) => {
        const hash = createHash("blake2b512", code.options({ key: a.key! }));
        write(hash, a.data!);
        await finished(hash);
        return hash.digest();
      },
    ],
    [
      "createHmac",
      "blake2s",
      (_, a) => (createHmac("blake2s256", a.key!) as ReturnType<typeof createHash>).update(a.data!).digest(),
      (a) => nobleHmac(nobleBlake2s, a.key!, a.data!),
    ],
    [
      "hashThrough",
      "blake2b",
      // Not to its end, which a Transform never reaches if a chunk that it passes on is detached.
      (library, a, code) =>
        new Promise((resolve, reject) => {
          const { blake2b } = library.algorithms;
          const stream = hashThrough(blake2b!, resolve, code.options({ key: a.key! }));
          write(stream.on("error", reject), a.data!);
        }),
    ],
  ];
  return calls.map(([name, algorithm, run, expected]) => {
    const subject = of(algorithm);
    return {
      name,
      subject,
      arrays: arraysOf({ data: SHORT, key: 32 }),
      run,
      expected: expected ?? ((a: Arrays) => digest(subject, a.data!, optionsIn(a))),
      // Node's streams make a Buffer of what a chunk says that it is.
      ...(/stream|Through/.test(name) && { unspecified: /say|DataView|without a prototype/ }),
    };
  });
}
