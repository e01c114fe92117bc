// Checks of the kernel of BLAKE3's subtrees by its exports alone (wasm/blake3/blake3-subtrees.c): check-module.ts says how.

import { goOn, type Mode, parentValue, subtreeValue } from "../reference-blake3.ts";
import { expected, expectSame, hex, pattern, range } from "./expectations.ts";
import { type Range, VARIABLES_END, Watched } from "./memory.ts";

const CHUNK = 1024;
const CV = 32;
const NODE = 2 * CV;
const ROOT = 8;
const STACK_END = 0x10000;
const PARAMETERS = 0x10000;
const INPUT = 0x20000;
const VALUES = 0x60000;
const OUT = 0x70000;
const PAGES = 12;

const KEY = new Uint32Array(pattern(32, 60).buffer);
const MODE: Mode = { key: [...KEY], flags: 16 };

function open(bytes: Uint8Array<ArrayBuffer>): Watched {
  const memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } });
  // Emscripten's export, or, if its linker has not been there, the variable.
  const { stackRestore, __stack_pointer: pointer } = exports;
  if (stackRestore) (stackRestore as (top: number) => void)(STACK_END);
  else (pointer as WebAssembly.Global).value = STACK_END;
  const kernel = new Watched(exports, memory, STACK_END);
  kernel.fill([VARIABLES_END, STACK_END], 0xa5);
  return kernel;
}

function load(kernel: Watched, { key, flags }: Mode): void {
  kernel.set(PARAMETERS, new Uint8Array(Uint32Array.of(...key, flags).buffer));
  kernel.fill([INPUT, kernel.bytes.length], 0xa5);
}

const valuesOf = (count: number): Range => [VALUES, VALUES + count * CV];
const countOf = (length: number, per = 1) => Math.ceil(length / CHUNK / per);
const halves = (counter: bigint) => [Number(counter & 0xffffffffn) | 0, Number(counter >> 32n) | 0];

/** The values of subtrees of `per` chunks each, of which the last may be short. */
function groupValues(message: Uint8Array, per: number, counter: bigint): Uint8Array {
  const name = `groups of ${message.length} bytes from ${message[0]} on by ${per} from ${counter}`;
  return expected(name, () =>
    Buffer.concat(
      range(0, countOf(message.length, per) - 1).map((i) => {
        const part = message.subarray(i * per * CHUNK, (i + 1) * per * CHUNK);
        return subtreeValue(MODE, part, counter + BigInt(i * per));
      }),
    ),
  );
}

const lengths = [
  ...range(0, 9).flatMap((chunks) => [0, 1, 63, 64, 65, 128, 960, 1023].map((more) => chunks * CHUNK + more)),
  ...[15, 16, 17, 31, 32, 33].map((chunks) => chunks * CHUNK),
  16 * CHUNK + 77,
].filter((length) => length > 0);
const counters = [
  0n,
  8n,
  2n ** 32n - 1n,
  2n ** 32n - 2n,
  2n ** 32n - 3n,
  2n ** 32n - 4n,
  2n ** 32n - 8n,
  2n ** 32n,
  2n ** 40n + 3n,
];

function checkChunks(kernel: Watched): void {
  for (const [i, length] of lengths.entries()) {
    for (const counter of [counters[i % counters.length]!, counters[(i + 4) % counters.length]!]) {
      const message = pattern(length, i);
      load(kernel, MODE);
      kernel.set(INPUT, message);
      kernel.call("chunks", [PARAMETERS, INPUT, length, ...halves(counter), VALUES], [valuesOf(countOf(length))]);
      const wanted = groupValues(message, 1, counter);
      expectSame(kernel.copy(VALUES, wanted.length), wanted, `chunks of ${length} bytes from ${counter}`);
    }
  }
}

const groupSizes = [
  [1, 3n],
  [2, 0n],
  [4, 2n ** 33n],
  [8, 64n],
  [16, 0n],
] as const;

function checkGroups(kernel: Watched): void {
  for (const [i, length] of lengths.entries()) {
    for (const [per, counter] of [groupSizes[i % 5]!, groupSizes[(i + 2) % 5]!]) {
      const message = pattern(length, i);
      load(kernel, MODE);
      kernel.set(INPUT, message);
      kernel.call("groups", [PARAMETERS, INPUT, length, per, ...halves(counter), VALUES], [valuesOf(countOf(length))]);
      const wanted = groupValues(message, per, counter);
      expectSame(kernel.copy(VALUES, wanted.length), wanted, `groups of ${per} of ${length} bytes`);
    }
  }
}

/** A message of one chunk, or of two, as its own root. */
function checkRoots(kernel: Watched): void {
  const root = { ...MODE, flags: MODE.flags | ROOT };
  for (const length of [1, 63, 64, 65, 128, 129, 1023, CHUNK]) {
    const message = pattern(length);
    load(kernel, root);
    kernel.set(INPUT, message);
    kernel.call("chunks", [PARAMETERS, INPUT, length, 0, 0, VALUES], [valuesOf(1)]);
    const wanted = expected(`root of ${length} bytes`, () => goOn(MODE, [], 0n, message));
    expectSame(kernel.copy(VALUES, CV), wanted, `chunks with a root of ${length} bytes`);
  }
  for (const name of ["level", "merge"]) {
    const message = pattern(2 * CHUNK);
    load(kernel, root);
    kernel.set(VALUES, groupValues(message, 1, 0n));
    kernel.call(name, [PARAMETERS, VALUES, 2, VALUES], [valuesOf(1)]);
    const wanted = expected("root of two chunks", () => goOn(MODE, [], 0n, message));
    expectSame(kernel.copy(VALUES, CV), wanted, `${name} with a root`);
  }
}

const levelOf = (values: Uint8Array[]): Uint8Array[] =>
  range(0, Math.ceil(values.length / 2) - 1).map((i) => {
    const [left, right] = [values[2 * i]!, values[2 * i + 1]];
    return right ? parentValue(MODE, left, right) : left;
  });

function checkLevels(kernel: Watched): void {
  for (const count of range(1, 21)) {
    const values = range(1, count).map((i) => pattern(CV, i * 7));
    const wanted = expected(`level of ${count}`, () => Buffer.concat(levelOf(values)));
    for (const out of [VALUES, OUT]) {
      load(kernel, MODE);
      kernel.set(VALUES, Buffer.concat(values));
      kernel.call("level", [PARAMETERS, VALUES, count, out], [[out, out + wanted.length]]);
      expectSame(kernel.copy(out, wanted.length), wanted, `level of ${count} values`);
    }
    load(kernel, MODE);
    kernel.set(VALUES, Buffer.concat(values));
    kernel.call("merge", [PARAMETERS, VALUES, count], [valuesOf(count)]);
    const top = expected(`merge of ${count}`, () => {
      let level: Uint8Array[] = values;
      while (level.length > 1) level = levelOf(level);
      return level[0]!;
    });
    expectSame(kernel.copy(VALUES, CV), top, `merge of ${count} values`);
  }
}

interface Encoded {
  readonly encoding: Uint8Array[];
  readonly nodes: Uint8Array[];
  readonly value: Uint8Array;
}

/** An encoding in pre-order and its nodes in post-order, by the definition of both. */
function encode(message: Uint8Array, group: number, chunk = 0): Encoded {
  if (message.length <= group)
    return { encoding: [message], nodes: [], value: groupValues(message, group / CHUNK, BigInt(chunk)) };
  let left = group;
  while (2 * left < message.length) left *= 2;
  const a = encode(message.subarray(0, left), group, chunk);
  const b = encode(message.subarray(left), group, chunk + left / CHUNK);
  const node = Uint8Array.from(Buffer.concat([a.value, b.value]));
  return {
    encoding: [node, ...a.encoding, ...b.encoding],
    nodes: [...a.nodes, ...b.nodes, node],
    value: parentValue(MODE, a.value, b.value),
  };
}

const saved = (name: string, compute: () => Uint8Array[]) =>
  expected(name, () => Uint8Array.from(Buffer.concat(compute())));

function checkEncodings(kernel: Watched): void {
  for (const [per, counts] of [
    [1, [...range(2, 13), 16, 17, 31, 32, 33]],
    [2, range(2, 9)],
    [4, range(2, 5)],
  ] as const) {
    for (const count of counts) {
      for (const less of new Set([0, 1000, (per - 1) * CHUNK, per * CHUNK - 1]))
        checkEncoding(kernel, per, count * per * CHUNK - less);
    }
  }
}

function checkEncoding(kernel: Watched, per: number, length: number): void {
  const message = pattern(length);
  const [group, count] = [per * CHUNK, countOf(length, per)];
  const where = `of ${length} bytes in groups of ${per}`;
  const encoding = saved(`encoding ${where}`, () => encode(message, group).encoding);
  const nodes = saved(`nodes ${where}`, () => encode(message, group).nodes);
  const values = groupValues(message, per, 0n);
  const top = nodes.subarray(nodes.length - NODE);
  load(kernel, MODE);
  kernel.set(INPUT, encoding);
  // Other bytes than there are after the content, so that a copy of too many of them shows.
  kernel.fill([INPUT + encoding.length, VALUES], 0x3c);
  kernel.call("gather", [INPUT, length, group, OUT], [[OUT, OUT + length]]);
  expectSame(kernel.copy(OUT, length), message, `gather ${where}`);
  kernel.call("encoded", [PARAMETERS, INPUT, length, per, 0, 0, VALUES], [valuesOf(countOf(length))]);
  expectSame(kernel.copy(VALUES, values.length), values, `encoded ${where}`);
  if (length < 8 * CHUNK) {
    const high = groupValues(message, per, 3n << 32n);
    kernel.call("encoded", [PARAMETERS, INPUT, length, per, 0, 3, VALUES], [valuesOf(countOf(length))]);
    expectSame(kernel.copy(VALUES, high.length), high, `encoded, far away, ${where}`);
  }
  kernel.set(VALUES, values);
  const matches = kernel.call("match", [PARAMETERS, VALUES, count, INPUT, group], [valuesOf(count)]);
  if (matches !== 0) throw new Error(`match ${where} must be 0, but is ${matches}`);
  expectSame(kernel.copy(VALUES, NODE), top, `match ${where}`);
  checkThatFlipsShow(kernel, per, length, encoding, values);
  kernel.set(VALUES, values);
  kernel.fill([OUT, OUT + nodes.length], 0xa5);
  kernel.call("collect", [PARAMETERS, VALUES, count, OUT], [valuesOf(count), [OUT, OUT + nodes.length]]);
  expectSame(kernel.copy(OUT, nodes.length), nodes, `collect ${where}`);
  expectSame(kernel.copy(VALUES, NODE), top, `collect ${where}`);
}

/** Each byte that lies in a node, changed: the first, the last and one between of each. */
function checkThatFlipsShow(
  kernel: Watched,
  per: number,
  length: number,
  encoding: Uint8Array,
  values: Uint8Array,
): void {
  const group = per * CHUNK;
  let content = 0;
  const places: number[] = [];
  const visit = (size: number) => {
    if (size <= group) {
      content += size;
      return;
    }
    let left = group;
    while (2 * left < size) left *= 2;
    places.push(content + places.length * NODE);
    visit(left);
    visit(size - left);
  };
  visit(length);
  for (const [i, place] of places.entries()) {
    for (const byte of [0, NODE - 1, (i * 13) % NODE]) {
      kernel.set(VALUES, values);
      kernel.bytes[INPUT + place + byte]! ^= 1 << (i % 8);
      if (
        !kernel.call(
          "match",
          [PARAMETERS, VALUES, countOf(length, per), INPUT, group],
          [valuesOf(countOf(length, per))],
        )
      )
        throw new Error(`match of ${length} bytes in groups of ${per} must see byte ${byte} of node ${i}`);
      kernel.bytes[INPUT + place + byte] = encoding[place + byte]!;
    }
  }
}

function checkThatSecretsGo(kernel: Watched): void {
  for (const length of [1, 64, 65, 1000, CHUNK, CHUNK + 1, 2 * CHUNK + 64, 3 * CHUNK + 65, 5 * CHUNK + 1, 8 * CHUNK]) {
    const count = countOf(length);
    kernel.expectForgotten(
      (secret) => {
        load(kernel, { key: Array(8).fill(secret), flags: 16 });
        kernel.fill([INPUT, INPUT + length], secret);
        kernel.call("groups", [PARAMETERS, INPUT, length, 2, 0, 0, VALUES], [valuesOf(count)]);
        kernel.call("merge", [PARAMETERS, VALUES, countOf(length, 2)], [valuesOf(count)]);
        kernel.call("clear", [INPUT, length], [[INPUT, INPUT + length]]);
        kernel.fill([PARAMETERS, PARAMETERS + 36], 0);
      },
      [valuesOf(count)],
      `groups of ${length} bytes`,
    );
  }
  kernel.fill([INPUT, INPUT + 4096], 9);
  kernel.call("clear", [INPUT + 5, 4001], [[INPUT + 5, INPUT + 4006]]);
  const cleared = kernel.copy(INPUT, 4096);
  const wanted = new Uint8Array(4096).fill(9).fill(0, 5, 4006);
  if (hex(cleared) !== hex(wanted)) throw new Error("clear must zero 4001 bytes");
}

/** Throws what is wrong with a kernel of subtrees, the first thing that it finds. */
export function checkSubtreeKernel(bytes: Uint8Array<ArrayBuffer>): void {
  const kernel = open(bytes);
  checkRoots(kernel);
  checkChunks(kernel);
  checkLevels(kernel);
  checkGroups(kernel);
  checkEncodings(kernel);
  checkThatSecretsGo(kernel);
}
