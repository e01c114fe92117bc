// Verified streaming beside the plain hash: each as a share of blake3()'s speed for the same bytes in the same run,
// rounds interleaved, the best of each; and the memory of a stream of 4 GiB.
//
//   node bench/bao.mjs [ROUNDS]      needs `npm run build`
//   node --expose-gc bench/bao.mjs memory
import { BaoDecodeStream, BaoEncodeStream, outboard, outboardOf, VerifiedRangeStream } from "../dist/bao.js";
import { blake3, equal } from "../dist/index.js";

const MiB = 2 ** 20;
const KiB = 1024;
const LENGTH = 16 * MiB;
const CHUNK = 256 * KiB;

const message = new Uint8Array(LENGTH);
for (let i = 0; i < LENGTH; i++) message[i] = (i * 2654435761) >>> 13;
const root = blake3(message);

/** A stream of `length` bytes, whose chunks `chunkAt` returns by their positions. */
function streamOf(length, chunkAt) {
  let at = 0;
  return new ReadableStream(
    {
      pull(controller) {
        if (at >= length) return controller.close();
        controller.enqueue(chunkAt(at));
        at += CHUNK;
      },
    },
    { highWaterMark: 0 },
  );
}

const chunksOf = (bytes) => streamOf(bytes.length, (at) => bytes.subarray(at, at + CHUNK));

/** Reads a stream to its end; returns how many bytes it gave. */
async function drain(stream) {
  const reader = stream.getReader();
  let length = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) length += read.value.length;
  return length;
}

async function collect(stream) {
  const bytes = new Uint8Array(2 * LENGTH);
  let at = 0;
  for await (const part of stream) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes.slice(0, at);
}

const complete = async (stream) => {
  if ((await drain(stream)) !== LENGTH) throw new Error("bytes are missing");
};

async function makeCases() {
  const cases = { "blake3()": () => equal(blake3(message), root) || fail() };
  const fail = () => {
    throw new Error("a wrong root");
  };
  for (const group of [KiB, 16 * KiB, 64 * KiB]) {
    const name = `${group / KiB} KiB`;
    const tree = outboard(message, { group });
    const encoding = await collect(chunksOf(message).pipeThrough(new BaoEncodeStream(tree)));
    cases[`outboard, ${name}`] = () => equal(outboard(message, { group }).root, root) || fail();
    cases[`decode, ${name}`] = () => complete(chunksOf(encoding).pipeThrough(new BaoDecodeStream(root, { group })));
    cases[`verified range, ${name}`] = () => complete(chunksOf(message).pipeThrough(new VerifiedRangeStream(tree)));
  }
  return cases;
}

async function speed(rounds) {
  const cases = await makeCases();
  const best = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(cases)) {
      const start = performance.now();
      await run();
      best[name] = Math.min(best[name] ?? Number.POSITIVE_INFINITY, performance.now() - start);
    }
  }
  console.log(`${process.version}, ${LENGTH / MiB} MiB, best of ${rounds} rounds`);
  for (const [name, time] of Object.entries(best)) {
    const share = (best["blake3()"] / time).toFixed(2);
    console.log(`${name.padEnd(24)} ${(LENGTH / time / 1000).toFixed(0).padStart(5)} MB/s  ${share}`);
  }
}

/** Prints how much memory it takes to encode and decode 4 GiB of zeros, and to pipe them through two plain streams. */
async function memory() {
  const GROUP = 16 * KiB;
  const zeros = new Uint8Array(CHUNK);
  const content = () => streamOf(4096 * MiB, () => zeros);
  const tree = await outboardOf(content(), { group: GROUP });
  const grown = async (stream) => {
    globalThis.gc();
    const before = process.memoryUsage.rss();
    let most = before;
    let given = 0;
    const sink = new WritableStream({
      write(bytes) {
        given += bytes.length;
        if (given % (16 * MiB) >= bytes.length) return;
        globalThis.gc();
        most = Math.max(most, process.memoryUsage.rss());
      },
    });
    await stream.pipeTo(sink);
    return { given, grown: (most - before) / MiB };
  };
  // What the runtime itself takes for streams of this length that allocate as much.
  const copying = () => new TransformStream({ transform: (chunk, controller) => controller.enqueue(chunk.slice()) });
  const plain = await grown(content().pipeThrough(copying()).pipeThrough(copying()));
  const encoding = content().pipeThrough(new BaoEncodeStream(tree));
  const decoded = await grown(encoding.pipeThrough(new BaoDecodeStream(tree.root, { group: GROUP })));
  console.log(
    `${process.version}: two TransformStreams that copy ${plain.given} bytes took ${plain.grown.toFixed(1)} MiB`,
  );
  console.log(`encoding and decoding ${decoded.given} bytes took ${decoded.grown.toFixed(1)} MiB`);
}

if (process.argv[2] === "memory") await memory();
else await speed(Number(process.argv[2] ?? 20));
