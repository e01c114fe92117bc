// Long streams do not fill the memory.
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { runNode } from "../support/child.ts";

const MIB = 2 ** 20;
const CHUNK = 65536;
const CHUNKS = 2048;

// The source hands out a few buffers again and again: engines free the memory of new ones late, on a busy machine by
// hundreds of MiB, and that is not what is measured here.
const code = `
  import { blake2b } from "blake-simd";
  import { HashStream } from "blake-simd/streams";
  function used() {
    // The first leaves buffers to be freed in the background; the second waits for that.
    globalThis.gc();
    globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  }
  const chunks = Array.from({ length: 64 }, () => new Uint8Array(${CHUNK}));
  let given = 0;
  let most = 0;
  // Not maxRSS: a new process begins with that of the one that started it.
  let peak = 0;
  const source = new ReadableStream({
    pull(controller) {
      if (given % 256 === 0) most = Math.max(most, used());
      if (given % 16 === 0) peak = Math.max(peak, process.memoryUsage.rss());
      if (given++ < ${CHUNKS}) controller.enqueue(chunks[given % 64].fill(given));
      else controller.close();
    },
  });
  const hash = new HashStream(blake2b);
  const before = { used: used(), rss: process.memoryUsage.rss() };
  await source.pipeThrough(hash).pipeTo(new WritableStream());
  const digest = Buffer.from(await hash.digest).toString("hex");
  console.log(JSON.stringify({ digest, kept: most - before.used, rss: peak - before.rss }));
`;

it("128 MiB in chunks of 64 KiB leave nothing in memory", () => {
  const hash = createHash("blake2b512");
  for (let i = 1; i <= CHUNKS; i++) hash.update(Buffer.alloc(CHUNK, i));
  const result = runNode(code, { flags: ["--expose-gc"] }) as { digest: string; kept: number; rss: number };
  expect(result.digest).toBe(hash.digest("hex"));
  expect(result.kept).toBeLessThan(4 * MIB);
  expect(result.rss).toBeLessThan(100 * MIB);
});
