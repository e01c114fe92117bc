// A message of 1 GiB that goes through a HashStream, in standard JavaScript: the memory that it takes must not
// grow with the message.

const LENGTH = 2 ** 30;
const CHUNK = 2 ** 16;
const PERIOD = 251;

/** The digest as b3sum 1.8.6 prints it for 2^30 bytes of which the i-th is i modulo 251. */
export const DIGEST = "fdd1b11e6c414398802ad14ccc876ac57f2859595cc9723b5e997b395e87166b";

/**
 * Chunks in a few buffers that are used again and again: how late an engine frees what it allocates is not what is
 * measured here.
 */
function source() {
  const pattern = new Uint8Array(CHUNK + PERIOD).map((_, i) => i % PERIOD);
  const buffers = Array.from({ length: 64 }, () => new Uint8Array(CHUNK));
  let given = 0;
  return new ReadableStream({
    pull(controller) {
      if (given === LENGTH) return controller.close();
      const buffer = buffers[(given / CHUNK) % buffers.length];
      buffer.set(pattern.subarray(given % PERIOD, (given % PERIOD) + CHUNK));
      given += CHUNK;
      controller.enqueue(buffer);
    },
  });
}

/**
 * Lets the message through the runtime's own stream: what it takes from then on is no longer the runtime's. (V8's young
 * generation alone grows to 100 MiB in workerd, which does not bound it as Node does.)
 */
export function warmUp() {
  return pass(new TransformStream());
}

/** The digest of the message once all of it has gone through. */
export async function hashGibibyte({ main, streams: { HashStream } }) {
  const hash = new HashStream(main.blake3);
  await pass(hash);
  return main.toHex(await hash.digest);
}

function pass(stream) {
  return source().pipeThrough(stream).pipeTo(new WritableStream());
}
