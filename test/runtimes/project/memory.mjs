// A message of 256 MiB goes through a HashStream of Node, Deno or Bun: the memory that it takes must not grow with the
// message.
import process from "node:process";

const LENGTH = 2 ** 28;
const CHUNK = 2 ** 16;
const PERIOD = 251;
/** What it may take above what the runtime's own stream has taken before, in bytes. */
const MOST = 100 * 2 ** 20;

/** As b3sum 1.8.6 prints it for 2^28 bytes of which the i-th is i modulo 251. */
const DIGEST = "2e8a0ce3f5f53799bedaf706c411c645ae1b030ce002761ad3bbd3dcd9a374df";

/**
 * Passes it in a few buffers that are used again and again: how late an engine frees what it allocates is not measured
 * here.
 */
async function pass(stream) {
  const pattern = new Uint8Array(CHUNK + PERIOD).map((_, i) => i % PERIOD);
  const buffers = Array.from({ length: 64 }, () => new Uint8Array(CHUNK));
  let [given, peak] = [0, 0];
  const source = new ReadableStream({
    pull(controller) {
      if (given === LENGTH) return controller.close();
      if (given % 2 ** 20 === 0) peak = Math.max(peak, process.memoryUsage().rss);
      const buffer = buffers[(given / CHUNK) % buffers.length];
      buffer.set(pattern.subarray(given % PERIOD, (given % PERIOD) + CHUNK));
      given += CHUNK;
      controller.enqueue(buffer);
    },
  });
  await source.pipeThrough(stream).pipeTo(new WritableStream());
  return peak;
}

export async function checkMemory({ main, streams: { HashStream } }) {
  const before = await pass(new TransformStream());
  const hash = new HashStream(main.blake3);
  const grown = (await pass(hash)) - before;
  const digest = main.toHex(await hash.digest);
  if (digest !== DIGEST) throw new Error(`expected the digest ${DIGEST}, got ${digest}`);
  if (grown > MOST) throw new Error(`expected ${MOST} bytes at most, got ${grown}`);
}
