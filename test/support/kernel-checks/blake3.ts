// The kernel of BLAKE3.
import { goOn, outputBlock, subtreeValue, type Mode as TreeMode } from "../reference-blake3.ts";
import { around, expected, expectSame, pattern, range } from "./expectations.ts";
import {
  INPUT,
  INPUT_SIZE,
  JOBS,
  JOBS_SIZE,
  ONESHOT,
  OUTPUT,
  OUTPUT_SIZE,
  PARAMETERS,
  ROOT,
  STATE,
  soil,
  type Watched,
  WORKERS,
} from "./memory.ts";
import {
  absorb,
  checkFinalize,
  checkMode,
  checkSqueezes,
  cuts,
  init,
  load,
  longCuts,
  type Mode,
  setCount,
  sizeOf,
  swap,
} from "./modes.ts";

const CHUNK = 1024;
const CV = 32;
const STACK = 176;
const DEPTH = 164;
const wordsOf = (bytes: Uint8Array) => [...new Uint32Array(bytes.slice().buffer)];

function blake3Parameters({ key, flags }: TreeMode, origin = 0n): Uint8Array {
  const bytes = new Uint8Array(48);
  bytes.set(new Uint8Array(Uint32Array.from(key).buffer));
  bytes[CV] = flags;
  new DataView(bytes.buffer).setBigUint64(40, origin, true);
  return bytes;
}

const modeOf = (byte: number, flags: number): TreeMode => ({ key: wordsOf(pattern(32, byte)), flags });

function outputOfBlake3(mode: TreeMode, message: Uint8Array, at: bigint, length: number): Uint8Array {
  const [first, last] = [at / 64n, (at + BigInt(length) - 1n) / 64n];
  const blocks = Array.from({ length: Number(last - first) + 1 }, (_, i) =>
    outputBlock(mode, message, first + BigInt(i)),
  );
  const skip = Number(at % 64n);
  return Uint8Array.from(Buffer.concat(blocks).subarray(skip, skip + length));
}

function blake3Mode(
  own: TreeMode,
  lengths: readonly number[],
  long: readonly number[],
  outputs: readonly number[],
): Mode {
  const name = `blake3 ${own.key[0]} ${own.flags}`;
  return {
    name,
    parameters: blake3Parameters(own),
    block: 64,
    outputs,
    lengths,
    long,
    secret: (byte) => blake3Parameters({ ...own, key: wordsOf(new Uint8Array(32).fill(byte)) }),
    expected: (message, length) => {
      if (length <= 32) return goOn(own, [], 0n, message).subarray(0, length);
      return outputOfBlake3(own, message, 0n, length);
    },
    state: () => ({ prefix: 0, flags: own.flags }),
    extendable: true,
  };
}

const IV = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

function checkFarOutput(kernel: Watched): void {
  const own = modeOf(50, 16);
  const message = pattern(70);
  init(kernel, blake3Mode(own, [], [], [32]));
  absorb(kernel, message, [70]);
  kernel.call("root", [STATE], [[ROOT, WORKERS]]);
  const carry = 2n ** 38n;
  const places = [
    0n,
    100n,
    2n ** 32n - 60n,
    ...[1n, 2n, 3n, 4n, 5n, 9n].map((blocks) => carry - 64n * blocks),
    carry - 30n,
    2n ** 60n + 1n,
    2n ** 64n - 64n * 20n,
  ];
  for (const at of places) {
    for (const length of [1, 64, 65, 128, 129, 255, 256, 257, 500, 700]) {
      const args = [Number(at & 0xffffffffn) | 0, Number(at >> 32n) | 0, length];
      kernel.fill([OUTPUT, INPUT], soil);
      kernel.call("squeeze", args, [[OUTPUT, OUTPUT + length]]);
      const wanted = expected(`blake3 output ${at} ${length}`, () => outputOfBlake3(own, message, at, length));
      expectSame(kernel.copy(OUTPUT, length), wanted, `BLAKE3, ${length} bytes of output from ${at}`);
    }
  }
}

/** Subtrees from a chunk on, and two of them joined. */
function checkSubtreesOfBlake3(kernel: Watched): void {
  const own = modeOf(3, 16);
  for (const chunk of [0n, 64n, 2n ** 32n - 4n, 2n ** 32n - 64n, 2n ** 32n, 2n ** 53n]) {
    for (const length of [1, 64, 65, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 64, 4 * CHUNK, 4 * CHUNK + 5]) {
      if (length > 4 * CHUNK && chunk % 64n !== 0n) continue;
      const message = pattern(length);
      load(kernel, blake3Parameters(own, chunk));
      kernel.fill([STATE, ONESHOT], soil);
      kernel.call("init", [STATE], [[STATE, ONESHOT]]);
      absorb(kernel, message, cuts[length % cuts.length]!);
      const wanted = expected(`subtree ${chunk} ${length}`, () => subtreeValue(own, message, chunk));
      for (const _ of "12") {
        kernel.fill([OUTPUT, INPUT], soil);
        kernel.call("chain", [STATE], [[OUTPUT, OUTPUT + CV]]);
        expectSame(kernel.copy(OUTPUT, CV), wanted, `chain of ${length} bytes from chunk ${chunk} on`);
      }
      kernel.expectForgotten(
        (secret) => {
          load(kernel, blake3Parameters({ key: Array(8).fill(secret), flags: 16 }, chunk));
          kernel.call("init", [STATE], [[STATE, ONESHOT]]);
          kernel.fill([INPUT, INPUT + length], secret);
          kernel.call("update", [STATE, INPUT, length], [[STATE, ONESHOT]]);
          kernel.fill([INPUT, INPUT + length], 0);
          kernel.call("chain", [STATE], [[OUTPUT, OUTPUT + CV]]);
          kernel.fill([STATE, STATE + sizeOf(kernel, STATE)], 0);
          kernel.fill([PARAMETERS, PARAMETERS + 48], 0);
        },
        [[OUTPUT, OUTPUT + CV]],
        "chain",
      );
    }
  }
  checkJoin(kernel, own);
}

function checkJoin(kernel: Watched, own: TreeMode): void {
  const message = pattern(3 * CHUNK + 7);
  const halves = [
    subtreeValue(own, message.subarray(0, 2 * CHUNK), 0n),
    subtreeValue(own, message.subarray(2 * CHUNK), 2n),
  ];
  load(kernel, blake3Parameters(own));
  kernel.fill([STATE, ONESHOT], soil);
  kernel.fill([INPUT, INPUT + 256], soil);
  kernel.set(INPUT, Buffer.concat(halves));
  kernel.call(
    "join",
    [STATE],
    [
      [STATE, ONESHOT],
      [INPUT, INPUT + 2 * CV],
    ],
  );
  expectSame(kernel.copy(INPUT, 2 * CV), new Uint8Array(2 * CV), "INPUT after join");
  if (sizeOf(kernel, STATE) !== STACK + 2 * CV) throw new Error(`join: the state's size is ${sizeOf(kernel, STATE)}`);
  swap(kernel);
  const wanted = expected("join", () => outputOfBlake3(own, message, 0n, 200));
  checkFinalize(kernel, 200, wanted, "join");
  checkSqueezes(kernel, 200, wanted, "join");
  kernel.call("chain", [STATE], [[OUTPUT, OUTPUT + CV]]);
  expectSame(
    kernel.copy(OUTPUT, CV),
    expected("chain of join", () => subtreeValue(own, message, 0n)),
    "chain after join",
  );
}

/** States after many chunks: their subtrees' values are any, and the number of the next chunk is near a carry. */
function checkCountersOfBlake3(kernel: Watched): void {
  const own: TreeMode = { key: IV, flags: 0 };
  const mode = blake3Mode(own, [], [], [32]);
  for (const chunks of [
    2n ** 32n - 4n,
    2n ** 32n - 3n,
    2n ** 32n - 1n,
    2n ** 32n,
    2n ** 33n - 64n,
    2n ** 40n + 5n,
    2n ** 54n - 80n,
  ]) {
    const depth = [...chunks.toString(2)].filter((bit) => bit === "1").length;
    const values = range(1, depth).map((i) => pattern(CV, i));
    for (const length of [1, CHUNK, CHUNK + 1, 4 * CHUNK + 1, 5 * CHUNK, 70 * CHUNK + 3]) {
      init(kernel, mode);
      setCount(kernel, chunks * BigInt(CHUNK));
      kernel.view.setUint32(STATE + DEPTH, depth, true);
      kernel.view.setUint32(STATE, STACK + depth * CV, true);
      for (const [i, value] of values.entries()) kernel.set(STATE + STACK + i * CV, value);
      const message = pattern(length);
      absorb(kernel, message, longCuts[length % 2]!);
      const wanted = expected(`blake3 ${length} after ${chunks}`, () =>
        goOn(own, values.map(wordsOf), chunks, message),
      );
      checkFinalize(kernel, 32, wanted, `BLAKE3, ${length} bytes after ${chunks} chunks`);
    }
  }
}

function checkManyOfBlake3(kernel: Watched, own: TreeMode, lengths: readonly number[]): void {
  load(kernel, blake3Parameters(own));
  kernel.fill([JOBS, JOBS + JOBS_SIZE], soil);
  kernel.fill([OUTPUT, INPUT + INPUT_SIZE], soil);
  let at = INPUT;
  for (const [i, length] of lengths.entries()) {
    kernel.set(at, pattern(length, i));
    kernel.view.setUint32(JOBS + 4 * i, length, true);
    at += Math.max(Math.ceil(length / 64), 1) * 64;
  }
  kernel.call(
    "many",
    [lengths.length],
    [
      [INPUT, at],
      [OUTPUT, OUTPUT + (lengths.length + 1) * CV],
    ],
  );
  for (const [i, length] of lengths.entries()) {
    const wanted = expected(`many ${own.flags} ${length} ${i % 251}`, () => goOn(own, [], 0n, pattern(length, i)));
    expectSame(kernel.copy(OUTPUT + i * CV, CV), wanted, `many, message ${i} of ${lengths.length}, ${length} bytes`);
  }
  expectSame(kernel.copy(INPUT, at - INPUT), new Uint8Array(at - INPUT), `INPUT after many of ${lengths.length}`);
  expectSame(
    kernel.copy(OUTPUT + lengths.length * CV, CV),
    new Uint8Array(CV),
    `the place after ${lengths.length} digests`,
  );
}

const manySetsOfBlake3 = [
  [],
  [0],
  [64],
  [65, 1],
  [1024],
  [1024, 1024],
  [100, 1024, 3],
  [1, 2, 3, 4],
  [64, 128, 192, 256, 320],
  [1024, 1, 1024, 0, 960, 961, 63, 64, 65, 500, 1023],
  Array.from({ length: 64 }, () => 1024),
  Array.from({ length: 511 }, (_, i) => i % 66),
  Array.from({ length: 90 }, (_, i) => (i * 331) % 700),
];

export function checkBlake3(kernel: Watched): void {
  const plain: TreeMode = { key: IV, flags: 0 };
  const lengths = [
    ...range(0, 3),
    ...around(64, 128, 512, 1024, 1088, 2048, 2112, 3072, 4096, 5120, 6144, 7168, 8192),
    960,
    1984,
    9000,
    17 * CHUNK - 3,
  ];
  const outputs = [32, 1, 31, 33, ...around(64, 128, 192, 256, 320, 512), 700];
  const long = [
    ...around(32 * CHUNK, 64 * CHUNK),
    65 * CHUNK,
    66 * CHUNK + 64,
    64 * CHUNK + 3 * CHUNK + 1,
    129 * CHUNK,
  ];
  checkMode(kernel, blake3Mode(plain, lengths, long, [32]));
  checkMode(
    kernel,
    blake3Mode(
      modeOf(20, 16),
      lengths.filter((_, i) => i % 4 === 0),
      [],
      outputs,
    ),
  );
  checkMode(kernel, blake3Mode(modeOf(120, 64), [0, 1, 1024, 1025, 3000], [], [32, 5000, OUTPUT_SIZE]));
  checkFarOutput(kernel);
  checkSubtreesOfBlake3(kernel);
  checkCountersOfBlake3(kernel);
  if (!kernel.has("many")) return;
  for (const set of manySetsOfBlake3) checkManyOfBlake3(kernel, plain, set);
  for (const set of manySetsOfBlake3.slice(0, 10)) checkManyOfBlake3(kernel, modeOf(9, 16), set);
  for (const sizes of [[5], [10, 64], [1024, 70, 1024, 0, 65], [64, 64, 64, 64]]) {
    kernel.expectForgotten(
      (secret) => {
        load(kernel, blake3Parameters({ key: Array(8).fill(secret), flags: 16 }));
        kernel.fill([INPUT, INPUT + 4096], secret);
        for (const [i, length] of sizes.entries()) kernel.view.setUint32(JOBS + 4 * i, length, true);
        kernel.call(
          "many",
          [sizes.length],
          [
            [INPUT, INPUT + 4096],
            [OUTPUT, OUTPUT + (sizes.length + 1) * CV],
          ],
        );
        kernel.fill([INPUT, INPUT + 4096], 0);
        kernel.fill([PARAMETERS, PARAMETERS + 48], 0);
      },
      [[OUTPUT, OUTPUT + sizes.length * CV]],
      `many of ${sizes}`,
    );
  }
}
