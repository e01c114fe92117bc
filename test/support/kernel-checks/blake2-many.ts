// Messages of BLAKE2s side by side.

import * as blake2 from "../reference-blake2.ts";
import { blake2Parameters, LAST_NODE, nameOf, tree } from "./blake2-modes.ts";
import { expected, expectSame, pattern, range } from "./expectations.ts";
import {
  ENDS,
  INPUT,
  INPUT_SIZE,
  JOBS,
  JOBS_SIZE,
  PARAMETERS,
  type Range,
  soil,
  type Watched,
  WORKERS,
  WORKERS_SIZE,
} from "./memory.ts";
import { load } from "./modes.ts";

/** A message in a lane of many(): where it goes on, and its end. */
interface Queued {
  readonly message: Uint8Array;
  at: number;
}

const WORKER_SIZE = 72;
const LIST = JOBS_SIZE / 4 / 4;
const SLICE = INPUT_SIZE / 4;

/** One call of many() with as much of each lane's messages as fits; returns the digests of those that end. */
function runLanes(kernel: Watched, lanes: Queued[][], block: number): [Uint8Array, Uint8Array][] {
  const ended: [Uint8Array, number][] = [];
  const inputs: Range[] = [];
  kernel.fill([INPUT, INPUT + INPUT_SIZE], soil);
  for (const [lane, queue] of lanes.entries()) {
    let used = 0;
    let job = 0;
    while (queue.length > 0 && used < SLICE && job < LIST) {
      const next = queue[0]!;
      const size = Math.min(next.message.length - next.at, SLICE - used);
      const ends = next.at + size === next.message.length;
      const place = INPUT + lane * SLICE + used;
      kernel.set(place, next.message.subarray(next.at, next.at + size));
      kernel.view.setUint32(JOBS + (lane * LIST + job++) * 4, (ends ? ENDS : 0) + size, true);
      if (ends) ended.push([next.message, place]);
      if (ends) queue.shift();
      next.at += size;
      const taken = Math.max(Math.ceil(size / block), 1) * block;
      if (ends) inputs.push([place, place + taken]);
      used += taken;
    }
    if (job < LIST) kernel.view.setUint32(JOBS + (lane * LIST + job) * 4, 0, true);
  }
  kernel.call("many", [], [[WORKERS, WORKERS + WORKERS_SIZE], ...inputs]);
  return ended.map(([message, place]) => [message, kernel.copy(place, 32)]);
}

function checkMany(kernel: Watched, settings: blake2.Settings, lengths: readonly number[], where: string): void {
  const variant = blake2.BLAKE2S;
  load(kernel, blake2Parameters(variant, settings, settings.lastNode ? LAST_NODE : 0));
  kernel.fill([WORKERS, WORKERS + WORKERS_SIZE], 0);
  kernel.fill([JOBS, JOBS + JOBS_SIZE], soil);
  const lanes: Queued[][] = [[], [], [], []];
  for (const [i, length] of lengths.entries()) lanes[i % 4]!.push({ message: pattern(length, i), at: 0 });
  while (lanes.some((queue) => queue.length > 0)) {
    for (const [message, digest] of runLanes(kernel, lanes, 64)) {
      const name = `many ${nameOf(settings)} ${message.length} ${message[0]}`;
      const wanted = expected(name, () => blake2.blake2(variant, message, settings));
      expectSame(
        digest.subarray(0, wanted.length),
        wanted,
        `many, ${where}, ${nameOf(settings)}, ${message.length} bytes`,
      );
    }
  }
}

const manySets: [string, number[]][] = [
  ["one", [0]],
  ["one", [65]],
  ["two", [64, 1]],
  ["three", [128, 63, 0]],
  ["four", [0, 1, 64, 65]],
  ["equal", [256, 256, 256, 256, 256]],
  ["mixed", [1500, 0, 2000, 1, 0, 1800, 2500, 64, 128, 192, 63, 65, 127, 129]],
  ["lists that are full", Array.from({ length: 1024 }, (_, i) => i % 65)],
  ["more than the lists hold", [...Array.from({ length: 1028 }, (_, i) => 64 - (i % 3)), 9000, 9001, 3]],
  ["cut off by the slices", [20_000, 16_384, 16_385, 40_001, 300, 0, 5, 70]],
  ["one that is cut off", [33_000]],
];

export function checkManyOfBlake2s(kernel: Watched): void {
  const key = pattern(32, 18);
  for (const [where, lengths] of manySets) {
    for (const settings of [{}, { key }]) checkMany(kernel, settings, lengths, where);
  }
  for (const settings of [{ lastNode: true }, { ...tree, key }, { key, lastNode: true, length: 7 }]) {
    for (const [where, lengths] of manySets.slice(0, 7)) checkMany(kernel, settings, lengths, where);
  }
  checkCountersOfMany(kernel);
  const used: Range[] = [
    [WORKERS, WORKERS + WORKERS_SIZE],
    [INPUT, INPUT + INPUT_SIZE],
  ];
  for (const lengths of [[5], [0, 64, 65], [1000, 2000, 10, 70, 0, 3000]]) {
    const use = (secret: number) => {
      load(kernel, blake2Parameters(blake2.BLAKE2S, { key: new Uint8Array(32).fill(secret) }, 0));
      kernel.fill([WORKERS, WORKERS + WORKERS_SIZE], 0);
      const lanes: Queued[][] = [[], [], [], []];
      for (const [i, length] of lengths.entries())
        lanes[i % 4]!.push({ message: new Uint8Array(length).fill(secret), at: 0 });
      runLanes(kernel, lanes, 64);
      kernel.fill([PARAMETERS, PARAMETERS + 0x100], 0);
    };
    kernel.expectForgotten(use, used, `many of ${lengths}`);
  }
}

/** Messages in progress whose counters are about to carry, some of the lanes before the others. */
function checkCountersOfMany(kernel: Watched): void {
  const variant = blake2.BLAKE2S;
  load(kernel, blake2Parameters(variant, {}, 0));
  kernel.fill([WORKERS, WORKERS + WORKERS_SIZE], 0);
  const lanes: Queued[][] = range(0, 3).map((lane) => [{ message: pattern(SLICE + 200 + 64 * lane, lane), at: 0 }]);
  runLanes(kernel, lanes, 64);
  const counts = [2n ** 32n - 128n, 2n ** 32n - 192n, 2n ** 40n, 2n ** 63n];
  const starts = counts.map((compressed, lane) => {
    const at = WORKERS + lane * WORKER_SIZE;
    const h = blake2.bytesToWords(kernel.copy(at, 32));
    if (kernel.view.getBigUint64(at + 32, true) !== BigInt(SLICE))
      throw new Error(`lane ${lane} must have counted ${SLICE} bytes`);
    kernel.view.setBigUint64(at + 32, compressed, true);
    return { h, compressed, buffer: new Uint8Array() };
  });
  for (const [message, digest] of runLanes(kernel, lanes, 64)) {
    const lane = message[0]!;
    const wanted = expected(`many ${lane} after ${counts[lane]}`, () =>
      blake2.finish(variant, starts[lane]!, message.subarray(SLICE)),
    );
    expectSame(digest, wanted, `many, lane ${lane} after ${counts[lane]} bytes`);
  }
}
