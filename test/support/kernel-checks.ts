// Checks of a hashing kernel by its exports alone (wasm/memory.h), against plain implementations of the papers: digests,
// counters, what a state holds, what each call may write, and what it leaves of a secret. It needs neither js/ nor vitest, so
// that `npm run mutate` can run it over a kernel that it has just compiled.
import { BinaryReader } from "../../wasm/binary-reader.mjs";
import * as blake1 from "./reference-blake1.ts";
import * as blake2 from "./reference-blake2.ts";
import { createBlake2bp, createBlake2sp } from "./reference-blake2-modes.ts";
import { goOn, outputBlock, subtreeValue, type Mode as TreeMode } from "./reference-blake3.ts";

export const PARAMETERS = 0x4000;
const STATE = 0x5000;
const ONESHOT = 0x6000;
const ROOT = 0x7000;
const WORKERS = 0x7100;
const WORKERS_SIZE = 0x200;
const ROWS = 0x7f00;
const JOBS = 0x8000;
const JOBS_SIZE = 0x1000;
const OUTPUT = 0xc000;
const OUTPUT_SIZE = 0x4000;
const INPUT = 0x10000;
const INPUT_SIZE = 0x10000;
const CONSTANTS = 0x400;
const COUNT = 16;
const HEAD = 32;
const ENDS = 0x80000000;

/** From the first address to before the last. */
export type Range = readonly [number, number];
type Args = readonly number[];
type Call = (...args: number[]) => number | undefined;

/** What was expected, by the name of the case; it can be kept from run to run, because plain implementations are slow. */
export const known = new Map<string, Uint8Array>();
let counted = () => {};

/** Calls a function before each call of a kernel: a run that makes no progress is in a loop without an end. */
export function onEachCall(count: () => void): void {
  counted = count;
}

export function expected(name: string, compute: () => Uint8Array): Uint8Array {
  const bytes = known.get(name) ?? compute();
  known.set(name, bytes);
  return bytes;
}

export const pattern = (length: number, seed = 0): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length }, (_, i) => (i + seed) % 251);

export const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

export function expectSame(actual: Uint8Array, wanted: Uint8Array, where: string): void {
  if (Buffer.compare(actual, wanted) === 0) return;
  const at = wanted.findIndex((byte, i) => byte !== actual[i]);
  throw new Error(
    `${where}: ${hex(actual.subarray(at, at + 32))} at byte ${at}, not ${hex(wanted.subarray(at, at + 32))}`,
  );
}

export const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);
const around = (...sizes: number[]) => sizes.flatMap((size) => [size - 1, size, size + 1]);

const GLOBALS = 6;
const I32 = 0x7f;
const I32_CONST = 0x41;

const soil = 0xa5;
/** The C stack of 8192 bytes is after at most 0x1000 bytes of constants and variables. */
export const VARIABLES_END = 0x1400;
const FEW = 23;

/** A memory, of which each call may write the named parts alone. */
export class Watched {
  readonly bytes: Uint8Array;
  readonly #before: Uint8Array;
  readonly #exports: Record<string, Call>;
  readonly #watched = new Map<string, number>();
  /** What is after the constants: variables, at first zero, and the C stack. */
  readonly stack: Range;

  /** Code that is not optimised has all of its variables on the stack, where they stay: no use of a secret is forgotten. */
  readonly #keepsSecrets: boolean;

  constructor(exports: WebAssembly.Exports, memory: WebAssembly.Memory, stackEnd: number, keepsSecrets = false) {
    this.#keepsSecrets = keepsSecrets;
    this.bytes = new Uint8Array(memory.buffer);
    this.#before = this.bytes.slice();
    this.#exports = exports as Record<string, Call>;
    const end = this.bytes.subarray(0, stackEnd).findLastIndex((byte) => byte !== 0) + 1;
    this.stack = keepsSecrets ? [INPUT + INPUT_SIZE, this.bytes.length] : [Math.max(end, CONSTANTS), stackEnd];
  }

  has(name: string): boolean {
    return name in this.#exports;
  }

  /**
   * Calls an export, which may write to these ranges and to its stack. To compare all of a memory takes longer than most calls:
   * of calls with the same ranges it is done for the first few, and then for some.
   */
  call(name: string, args: Args, writes: readonly Range[]): number | undefined {
    counted();
    const kind = `${name} ${writes.flat()}`;
    const count = this.#watched.get(kind) ?? 0;
    this.#watched.set(kind, count + 1);
    if (count >= FEW && count % FEW !== 0) return this.#exports[name]!(...args);
    this.#before.set(this.bytes);
    const result = this.#exports[name]!(...args);
    this.expectUnchanged(this.#before, [this.stack, ...writes], `${name}(${args.join(", ")}) writes`);
    return result;
  }

  expectUnchanged(before: Uint8Array, writes: readonly Range[], where: string): void {
    let at = 0;
    const ranges = [...writes].sort((a, b) => a[0] - b[0]);
    for (const [from, to] of [...ranges, [this.bytes.length, 0] as const]) {
      if (from > at && Buffer.compare(this.bytes.subarray(at, from), before.subarray(at, from)) !== 0) {
        const place = this.bytes.findIndex((byte, i) => i >= at && byte !== before[i]);
        throw new Error(`${where} to 0x${place.toString(16)}`);
      }
      at = Math.max(at, to);
    }
  }

  fill([from, to]: Range, byte: number): void {
    this.bytes.fill(byte, from, to);
  }

  set(at: number, bytes: Uint8Array): void {
    this.bytes.set(bytes, at);
  }

  copy(at: number, length: number): Uint8Array {
    return this.bytes.slice(at, at + length);
  }

  get view(): DataView {
    return new DataView(this.bytes.buffer);
  }

  /** Runs a use of two secrets on the same memory; nothing but these ranges may then differ. */
  expectForgotten(use: (secret: number) => void, ranges: readonly Range[], where: string): void {
    if (this.#keepsSecrets) return;
    const start = this.bytes.slice();
    use(7);
    const first = this.bytes.slice();
    this.bytes.set(start);
    use(212);
    this.expectUnchanged(first, ranges, `${where} leaves something of a secret`);
    this.bytes.set(start);
  }
}

/** One way to use a kernel. */
interface Mode {
  readonly name: string;
  readonly parameters: Uint8Array;
  readonly block: number;
  /** Bytes of output that tests ask for; the first is the digest's own. */
  readonly outputs: readonly number[];
  readonly lengths: readonly number[];
  readonly long: readonly number[];
  /** Of parameters that have a secret of this byte, where they have one. */
  secret(byte: number): Uint8Array;
  expected(message: Uint8Array, length: number): Uint8Array;
  /** What the state must be after a message, as far as it does not depend on how that was cut into pieces. */
  state(length: number): { size?: number; buffered?: number; prefix: number; flags: number };
  readonly extendable: boolean;
  readonly rows?: boolean;
}

/**
 * Where the C stack begins, from which it grows down: the value of the first variable of a module, if it has one (WebAssembly 2.0
 * section 5.5.9).
 */
function stackTop(bytes: Uint8Array): number | undefined {
  const reader = new BinaryReader(bytes, 8);
  while (reader.at < bytes.length) {
    const section = reader.byte();
    const end = reader.number() + reader.at;
    if (section === GLOBALS && reader.number() > 0) {
      const [type, mutable, operation] = [reader.byte(), reader.byte(), reader.byte()];
      if (type === I32 && mutable === 1 && operation === I32_CONST) return Number(reader.signed());
    }
    reader.at = end;
  }
  return undefined;
}

/** A kernel with its memory in a state as bad as it may be. */
function open(bytes: Uint8Array<ArrayBuffer>): Watched {
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  const memory = instance.exports.memory as WebAssembly.Memory;
  // Without optimisation constants and stack do not fit, and come after INPUT.
  const isUnoptimised = memory.buffer.byteLength > INPUT + INPUT_SIZE;
  const top = isUnoptimised ? PARAMETERS : (stackTop(bytes) ?? PARAMETERS);
  const kernel = new Watched(instance.exports, memory, top, isUnoptimised);
  if (!isUnoptimised) kernel.fill([VARIABLES_END, PARAMETERS], soil);
  kernel.fill([PARAMETERS, INPUT + INPUT_SIZE], soil);
  return kernel;
}

function load(kernel: Watched, parameters: Uint8Array, rows = false): void {
  kernel.fill([PARAMETERS, PARAMETERS + 0x100], 0);
  kernel.set(PARAMETERS, parameters);
  kernel.bytes[ROWS] = rows ? 1 : 0;
}

const outputOf = (length: number): Range => [OUTPUT, OUTPUT + Math.max(length, 64)];
const sizeOf = (kernel: Watched, at: number) => kernel.view.getUint32(at, true);

function init(kernel: Watched, mode: Mode): void {
  load(kernel, mode.parameters, mode.rows);
  kernel.fill([STATE, ONESHOT], soil);
  kernel.call("init", [STATE], [[STATE, ONESHOT]]);
}

/** Moves the state out and back in, as a swap of hashers does. */
function swap(kernel: Watched): void {
  const size = sizeOf(kernel, STATE);
  if (!(size >= HEAD && size <= ONESHOT - STATE)) throw new Error(`the size of a state is ${size}`);
  const saved = kernel.copy(STATE, size);
  kernel.fill([STATE, ONESHOT], soil ^ 0xff);
  kernel.set(STATE, saved);
}

/** Absorbs a message in pieces, each of which may be as long as INPUT. */
function absorb(kernel: Watched, message: Uint8Array, pieces: readonly number[]): void {
  let at = 0;
  for (let i = 0; at < message.length; i++) {
    const piece = message.subarray(at, at + Math.min(pieces[i % pieces.length]!, INPUT_SIZE));
    kernel.set(INPUT, piece);
    kernel.call("update", [STATE, INPUT, piece.length], [[STATE, ONESHOT]]);
    kernel.fill([INPUT, INPUT + piece.length], soil);
    at += piece.length;
    swap(kernel);
  }
}

function checkState(kernel: Watched, mode: Mode, length: number): void {
  const head = mode.state(length);
  const { view } = kernel;
  const wanted = { size: head.size, buffered: head.buffered, prefix: head.prefix, flags: head.flags };
  for (const [i, [name, value]] of Object.entries(wanted).entries()) {
    const actual = view.getUint32(STATE + 4 * i, true);
    if (value !== undefined && actual !== value)
      throw new Error(`${mode.name}, ${length} bytes: the state's ${name} is ${actual}, not ${value}`);
  }
  const count = view.getBigUint64(STATE + COUNT, true) + (view.getBigUint64(STATE + COUNT + 8, true) << 64n);
  if (count !== BigInt(length)) throw new Error(`${mode.name}, ${length} bytes: the state's count is ${count}`);
}

function checkFinalize(kernel: Watched, output: number, wanted: Uint8Array, where: string): void {
  kernel.fill([OUTPUT, INPUT], soil);
  kernel.call("finalize", [STATE, output], [outputOf(output)]);
  expectSame(kernel.copy(OUTPUT, wanted.length), wanted, `${where}, finalize`);
}

function checkUpdates(kernel: Watched, mode: Mode, length: number, pieces: readonly number[]): void {
  const message = pattern(length);
  const where = `${mode.name}, ${length} bytes in pieces of ${pieces.slice(0, 4)}`;
  init(kernel, mode);
  checkState(kernel, mode, 0);
  absorb(kernel, message, pieces);
  checkState(kernel, mode, length);
  const output = mode.outputs[length % mode.outputs.length]!;
  const wanted = expected(`${mode.name} ${length} ${output}`, () => mode.expected(message, output));
  checkFinalize(kernel, output, wanted, where);
  checkFinalize(kernel, output, wanted, `${where}, again`);
  if (mode.extendable) checkSqueezes(kernel, output, wanted, where);
}

/** The same output, taken in pieces from the root. */
function checkSqueezes(kernel: Watched, output: number, wanted: Uint8Array, where: string): void {
  kernel.fill([ROOT, WORKERS], soil);
  kernel.call("root", [STATE], [[ROOT, WORKERS]]);
  const sizes = [output, 1, 64, 33, 200, 63, 3, 513];
  for (let at = 0, i = output % 3; at < output; i++) {
    const piece = Math.min(sizes[i % sizes.length]!, output - at);
    kernel.fill([OUTPUT, INPUT], soil);
    kernel.call("squeeze", [at, 0, piece], [[OUTPUT, OUTPUT + piece]]);
    expectSame(
      kernel.copy(OUTPUT, piece),
      wanted.subarray(at, at + piece),
      `${where}, ${piece} bytes of output from ${at}`,
    );
    at += piece;
  }
}

function checkHash(kernel: Watched, mode: Mode, length: number, output: number): void {
  const message = pattern(length);
  const where = `${mode.name}, hash of ${length} bytes`;
  load(kernel, mode.parameters, mode.rows);
  kernel.fill([OUTPUT, INPUT + INPUT_SIZE], soil);
  kernel.set(INPUT, message);
  // A last block is padded in INPUT; an area has room for a block after the longest message only in itself.
  const padded: Range = [INPUT, Math.min(INPUT + length + mode.block, INPUT + INPUT_SIZE)];
  kernel.call("hash", [length, output], [outputOf(output), padded, [ONESHOT, ROOT]]);
  const wanted = expected(`${mode.name} ${length} ${output}`, () => mode.expected(message, output));
  expectSame(kernel.copy(OUTPUT, wanted.length), wanted, where);
  const left = kernel.bytes.subarray(INPUT, INPUT + length).findIndex((byte) => byte !== 0);
  if (left >= 0) throw new Error(`${where}: byte ${left} of the message stays in INPUT`);
}

function checkThatSecretsGo(kernel: Watched, mode: Mode, length: number): void {
  const output = mode.outputs[length % mode.outputs.length]!;
  const use = (secret: number, act: () => void) => {
    load(kernel, mode.secret(secret), mode.rows);
    kernel.fill([INPUT, INPUT + length], secret + 1);
    act();
    kernel.fill([PARAMETERS, PARAMETERS + 0x100], 0);
  };
  const where = `${mode.name}, ${length} bytes:`;
  const digest = outputOf(output);
  kernel.expectForgotten(
    (secret) =>
      use(secret, () => kernel.call("hash", [length, output], [[ONESHOT, ROOT], [INPUT, kernel.bytes.length], digest])),
    [digest],
    `${where} hash`,
  );
  const live = () => {
    kernel.fill([STATE, ONESHOT], soil);
    kernel.call("init", [STATE], [[STATE, ONESHOT]]);
    kernel.call("update", [STATE, INPUT, length], [[STATE, ONESHOT]]);
    kernel.fill([INPUT, INPUT + length], soil);
    kernel.call("finalize", [STATE, output], [digest]);
    kernel.fill([STATE, STATE + sizeOf(kernel, STATE)], 0);
  };
  kernel.expectForgotten((secret) => use(secret, live), [digest], `${where} update and finalize`);
  if (!mode.extendable) return;
  const squeezes = () => {
    kernel.call("init", [STATE], [[STATE, ONESHOT]]);
    kernel.call("update", [STATE, INPUT, length], [[STATE, ONESHOT]]);
    kernel.fill([INPUT, INPUT + length], soil);
    kernel.call("root", [STATE], [[ROOT, WORKERS]]);
    kernel.fill([STATE, STATE + sizeOf(kernel, STATE)], 0);
    for (const [at, size] of [
      [0, 1],
      [65, 300],
      [64, 64],
      [5, output],
    ])
      kernel.call("squeeze", [at!, 0, size!], [[OUTPUT, INPUT]]);
    kernel.fill([OUTPUT, INPUT], 0);
  };
  kernel.expectForgotten((secret) => use(secret, squeezes), [[ROOT, WORKERS]], `${where} squeeze`);
}

const cuts = [
  [1000],
  [1],
  [63, 1, 64],
  [64],
  [65, 127],
  [128, 3],
  [129, 255, 1],
  [512],
  [1023, 1, 2],
  [1025, 4096, 700],
];

function checkMode(kernel: Watched, mode: Mode): void {
  const [first = 32] = mode.outputs;
  for (const length of mode.lengths) {
    checkHash(kernel, mode, length, first);
    checkUpdates(kernel, mode, length, [INPUT_SIZE]);
    checkUpdates(kernel, mode, length, cuts[length % cuts.length]!);
    checkUpdates(kernel, mode, length, cuts[(length * 7 + 3) % cuts.length]!);
  }
  for (const output of mode.outputs) checkHash(kernel, mode, 3 * mode.block - 5, output);
  for (const [i, length] of mode.long.entries()) {
    if (length <= INPUT_SIZE) checkHash(kernel, mode, length, first);
    for (const pieces of longCuts.slice(i % 2 ? 0 : 1)) checkUpdates(kernel, mode, length, pieces);
  }
  for (const length of [0, 1, mode.block - 1, mode.block, mode.block + 1, 1024, 3000, 5000])
    checkThatSecretsGo(kernel, mode, length);
}

const longCuts = [[INPUT_SIZE], [1, INPUT_SIZE, 1023], [2048 + 64, INPUT_SIZE, 700, 1024]];

// ---- BLAKE ----

const ivOf = (variant: blake1.Variant, short: boolean): Uint8Array => {
  // SHA-2's initial values, which BLAKE has too.
  const values: Record<string, string> = {
    "4": "6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19",
    "4 short": "c1059ed8367cd5073070dd17f70e5939ffc00b316858151164f98fa7befa4fa4",
    "8": "6a09e667f3bcc908bb67ae8584caa73b3c6ef372fe94f82ba54ff53a5f1d36f1510e527fade682d19b05688c2b3e6c1f1f83d9abfb41bd6b5be0cd19137e2179",
    "8 short":
      "cbbb9d5dc1059ed8629a292a367cd5079159015a3070dd17152fecd8f70e593967332667ffc00b318eb44a8768581511db0c2e0d64f98fa747b5481dbefa4fa4",
  };
  return Uint8Array.from(Buffer.from(values[`${variant.word}${short ? " short" : ""}`]!, "hex"));
};

function blake1Mode(variant: blake1.Variant, short: boolean, salt: Uint8Array): Mode {
  const { word } = variant;
  const block = 16 * word;
  const chain = ivOf(variant, short);
  const parametersOf = (own: Uint8Array) => Uint8Array.of(...chain, ...own, short ? 0 : 1, 0, 0, 0);
  return {
    name: `blake${(short ? 56 : 64) * word}, salt ${hex(salt).slice(0, 4)}`,
    parameters: parametersOf(salt),
    block,
    outputs: [(short ? (word === 4 ? 7 : 6) : 8) * word],
    lengths: [
      ...range(0, block + 2),
      ...range(2 * block - 2 * word - 2, 2 * block + 1),
      3 * block,
      4 * block + 5,
      1000,
    ],
    long: salt[0] ? [INPUT_SIZE, 2 * INPUT_SIZE + 300] : [],
    secret: (byte) => parametersOf(new Uint8Array(4 * word).fill(byte)),
    expected: (message, length) =>
      blake1.finish(variant, { chain, salt, done: 0n }, message, short ? 0 : 1).subarray(0, length),
    state: (length) => ({ size: HEAD + 12 * word + block, buffered: length % block, prefix: 0, flags: short ? 0 : 1 }),
    extendable: false,
  };
}

/** Counts near the carries of a counter of bits. */
function checkCountersOfBlake1(kernel: Watched, variant: blake1.Variant): void {
  const { word } = variant;
  const block = 16 * word;
  const salt = pattern(4 * word, 90);
  const mode = blake1Mode(variant, false, salt);
  const half = 1n << BigInt(8 * word - 3);
  for (const before of [
    half - BigInt(2 * block),
    half - BigInt(block),
    half,
    5n * half,
    (half << BigInt(8 * word)) - BigInt(4 * block),
  ]) {
    for (const length of [0, 1, block - 20, block, 2 * block + 3, 3 * block]) {
      init(kernel, mode);
      kernel.view.setBigUint64(STATE + COUNT, before & 0xffffffffffffffffn, true);
      kernel.view.setBigUint64(STATE + COUNT + 8, before >> 64n, true);
      const message = pattern(length);
      absorb(kernel, message, cuts[length % 5]!);
      const from = { chain: ivOf(variant, false), salt, done: before };
      const wanted = expected(`${mode.name} ${length} after ${before}`, () => blake1.finish(variant, from, message, 1));
      checkFinalize(kernel, 0, wanted, `${mode.name}, ${length} bytes after ${before}`);
    }
  }
}

function checkBlake1(kernel: Watched, variant: blake1.Variant): void {
  for (const short of [false, true]) {
    for (const salt of [new Uint8Array(4 * variant.word), pattern(4 * variant.word, 11)]) {
      checkMode(kernel, blake1Mode(variant, short, salt));
    }
  }
  checkCountersOfBlake1(kernel, variant);
}

// ---- BLAKE2 ----

const LAST_NODE = 1;
const PARALLEL = 2;
const EXTENDABLE = 4;
const tree: blake2.Settings = {
  fanout: 3,
  maxDepth: 2,
  maxLeafLength: 4096,
  nodeOffset: 5n,
  nodeDepth: 1,
  innerHashLength: 9,
  lastNode: true,
};

const sizesOf = (variant: blake2.Variant) => ({
  digest: 8 * variant.word,
  block: 16 * variant.word,
  leaves: variant.word === 8 ? 4 : 8,
  xofAt: 12,
  unknown: variant.word === 8 ? 0xffffffff : 0xffff,
});

/** What a kernel reads: the parameter block, the key, flags. */
function blake2Parameters(variant: blake2.Variant, settings: blake2.Settings, flags: number): Uint8Array {
  const { digest } = sizesOf(variant);
  const bytes = new Uint8Array(2 * digest + 4);
  bytes.set(blake2.parameterBlock(variant, settings));
  bytes.set(settings.key ?? [], digest);
  bytes[2 * digest] = flags;
  return bytes;
}

const withKey = (settings: blake2.Settings, key: Uint8Array | undefined): blake2.Settings =>
  key ? { ...settings, key } : settings;
/** A secret takes the place of a key. */
const secretSettings = (settings: blake2.Settings, byte: number): blake2.Settings =>
  settings.key ? { ...settings, key: new Uint8Array(settings.key.length).fill(byte) } : settings;
const nameOf = (settings: blake2.Settings) =>
  JSON.stringify(settings, (_, value) =>
    typeof value === "bigint"
      ? `${value}`
      : value instanceof Uint8Array
        ? hex(value).slice(0, 8) + value.length
        : value,
  );

function plainMode(variant: blake2.Variant, settings: blake2.Settings, long: readonly number[] = []): Mode {
  const { digest, block } = sizesOf(variant);
  const flags = settings.lastNode ? LAST_NODE : 0;
  const prefix = settings.key ? block : 0;
  return {
    name: `blake2 ${digest} ${nameOf(settings)}`,
    parameters: blake2Parameters(variant, settings, flags),
    block,
    outputs: [settings.length ?? digest],
    lengths: [...range(0, 6), ...around(block / 2, block, 2 * block, 3 * block, 5 * block), 1000],
    long,
    secret: (byte) => blake2Parameters(variant, secretSettings(settings, byte), flags),
    expected: (message) => blake2.blake2(variant, message, settings),
    state: (length) => {
      const total = prefix + length;
      return { size: HEAD + digest + block, buffered: total ? ((total - 1) % block) + 1 : 0, prefix, flags };
    },
    extendable: false,
  };
}

function plainModes(variant: blake2.Variant): Mode[] {
  const { digest } = sizesOf(variant);
  const salts = { salt: pattern(2 * variant.word, 5), personal: pattern(2 * variant.word, 99) };
  return [
    plainMode(variant, {}, [INPUT_SIZE, 2 * INPUT_SIZE + 300]),
    plainMode(variant, { key: pattern(digest, 40) }, [INPUT_SIZE - 1]),
    plainMode(variant, { key: pattern(7, 3), length: 20, ...salts }),
    plainMode(variant, { lastNode: true }),
    plainMode(variant, { ...tree, key: pattern(digest, 8) }),
  ];
}

function parallelSettings(variant: blake2.Variant): blake2.Settings {
  const { digest, leaves } = sizesOf(variant);
  return { fanout: leaves, maxDepth: 2, innerHashLength: digest };
}

function parallelMode(
  variant: blake2.Variant,
  own: blake2.Settings,
  lengths: readonly number[],
  long: readonly number[] = [],
): Mode {
  const { digest, block, leaves } = sizesOf(variant);
  const settings = { ...own, ...parallelSettings(variant) };
  const create = variant.word === 8 ? createBlake2bp : createBlake2sp;
  const stripe = leaves * block;
  return {
    name: `parallel ${digest} ${nameOf(own)}`,
    parameters: blake2Parameters(variant, settings, PARALLEL),
    block,
    outputs: [own.length ?? digest],
    lengths,
    long,
    secret: (byte) => blake2Parameters(variant, secretSettings(settings, byte), PARALLEL),
    expected: (message) => create(own).update(message).digest(),
    state: () => ({
      size: HEAD + digest + leaves * digest + 2 * stripe,
      prefix: own.key ? stripe : 0,
      flags: PARALLEL,
    }),
    extendable: false,
  };
}

function parallelModes(variant: blake2.Variant): Mode[] {
  const { digest, block } = sizesOf(variant);
  const edges = [...range(0, 20).flatMap((i) => around(i * block)), 2500].filter((length) => length >= 0);
  const few = edges.filter((_, i) => i % 3 === 0 || i < 40);
  return [
    parallelMode(variant, {}, [...edges, 4096, 5000], [INPUT_SIZE, INPUT_SIZE + 1500]),
    parallelMode(variant, { key: pattern(digest, 77) }, few),
    parallelMode(variant, { key: pattern(9), length: 20 }, [0, 1, 3000]),
  ];
}

/** Output of BLAKE2X from a block on. */
function outputOfBlake2x(
  variant: blake2.Variant,
  settings: blake2.Settings,
  message: Uint8Array,
  total: number,
  at: bigint,
  length: number,
) {
  const { digest } = sizesOf(variant);
  const declared = BigInt(total) << 32n;
  const seed = blake2.finish(
    variant,
    blake2.start(variant, blake2.keyBlock(variant, settings.key), { ...settings, nodeOffset: declared }),
    message,
  );
  const { key: _, ...rest } = settings;
  const first = at / BigInt(digest);
  const last = (at + BigInt(length) - 1n) / BigInt(digest);
  const blocks = Array.from({ length: Number(last - first) + 1 }, (_, i) => {
    const number = (first + BigInt(i)) & 0xffffffffn;
    const left = total === sizesOf(variant).unknown ? digest : Math.min(digest, total - Number(number) * digest);
    const shape = { fanout: 0, maxDepth: 0, maxLeafLength: digest, innerHashLength: digest, nodeDepth: 0 };
    return blake2.blake2(variant, seed, { ...rest, ...shape, nodeOffset: declared + number, length: left });
  });
  const skip = Number(at % BigInt(digest));
  return Uint8Array.from(Buffer.concat(blocks).subarray(skip, skip + length));
}

function extendableMode(
  variant: blake2.Variant,
  own: blake2.Settings,
  total: number,
  outputs: readonly number[],
  rows: boolean,
): Mode {
  const { digest, block } = sizesOf(variant);
  const settings = { ...own, nodeOffset: BigInt(total) << 32n };
  const prefix = own.key ? block : 0;
  return {
    name: `extendable ${digest} ${nameOf(own)} ${total}`,
    parameters: blake2Parameters(variant, settings, EXTENDABLE),
    block,
    outputs,
    lengths: [0, 1, ...around(block, 2 * block), 1000],
    long: [],
    secret: (byte) => blake2Parameters(variant, secretSettings(settings, byte), EXTENDABLE),
    expected: (message, length) => outputOfBlake2x(variant, own, message, total, 0n, length),
    state: () => ({ size: HEAD + 2 * digest + block, prefix, flags: EXTENDABLE }),
    extendable: true,
    rows,
  };
}

function checkExtendable(kernel: Watched, variant: blake2.Variant): void {
  const { digest, unknown } = sizesOf(variant);
  const key = pattern(digest, 60);
  const own = { key, salt: pattern(2 * variant.word, 33) };
  const lengths = [digest, 1, ...around(digest, 2 * digest, 4 * digest), 5 * digest - 1, 700];
  for (const rows of [true, false]) {
    checkMode(kernel, extendableMode(variant, {}, unknown, lengths, rows));
    checkMode(kernel, extendableMode(variant, own, unknown, [digest, OUTPUT_SIZE], rows));
    for (const total of [1, digest, 4 * digest + 3, 1000])
      checkMode(kernel, extendableMode(variant, own, total, [total], rows));
  }
  const message = pattern(100);
  init(kernel, extendableMode(variant, own, unknown, lengths, true));
  absorb(kernel, message, [100]);
  kernel.call("root", [STATE], [[ROOT, WORKERS]]);
  for (const at of [
    2n ** 20n * BigInt(digest) + 1n,
    2n ** 32n - 70n,
    2n ** 32n * BigInt(digest) - 200n,
    2n ** 36n - 1n,
  ]) {
    if (at + 200n > 2n ** 32n * BigInt(digest)) continue;
    for (const length of [1, 70, 200]) {
      kernel.call("squeeze", [Number(at & 0xffffffffn), Number(at >> 32n), length], [[OUTPUT, OUTPUT + length]]);
      const wanted = expected(`extendable ${digest} ${at} ${length}`, () =>
        outputOfBlake2x(variant, own, message, unknown, at, length),
      );
      expectSame(kernel.copy(OUTPUT, length), wanted, `BLAKE2X ${digest}, ${length} bytes of output from ${at}`);
    }
  }
}

function setCount(kernel: Watched, count: bigint): void {
  kernel.view.setBigUint64(STATE + COUNT, count & 0xffffffffffffffffn, true);
  kernel.view.setBigUint64(STATE + COUNT + 8, count >> 64n, true);
}

/** Bytes before a message, near the carries of a byte counter of two words. */
function countsOfBlake2(variant: blake2.Variant, unit: number): bigint[] {
  const carry = 1n << BigInt(8 * variant.word);
  return [1n, 2n, 3n, 6n, 9n]
    .map((blocks) => carry - blocks * BigInt(unit))
    .concat([carry, 7n * carry, carry * carry - BigInt(20 * unit)]);
}

function checkCountersOfBlake2(kernel: Watched, variant: blake2.Variant): void {
  const { block } = sizesOf(variant);
  for (const key of [undefined, pattern(20)]) {
    const mode = plainMode(variant, withKey({}, key));
    const start = blake2.start(variant, blake2.keyBlock(variant, key), withKey({}, key));
    for (const before of countsOfBlake2(variant, block)) {
      for (const length of [1, block, block + 1, 2 * block, 4 * block + 9]) {
        init(kernel, mode);
        setCount(kernel, before);
        const message = pattern(length);
        absorb(kernel, message, cuts[length % 6]!);
        const wanted = expected(`${mode.name} ${length} after ${before}`, () =>
          blake2.finish(variant, { ...start, compressed: before }, message),
        );
        checkFinalize(kernel, 0, wanted, `${mode.name}, ${length} bytes after ${before}`);
      }
    }
  }
}

function checkCountersOfParallel(kernel: Watched, variant: blake2.Variant): void {
  const { block, leaves } = sizesOf(variant);
  const stripe = leaves * block;
  const mode = parallelMode(variant, {}, []);
  const settings = parallelSettings(variant);
  for (const perLeaf of countsOfBlake2(variant, block).slice(0, -1)) {
    for (const length of [stripe, stripe + 1, 2 * stripe, 3 * stripe - block, 5 * stripe + 77]) {
      const message = pattern(length);
      init(kernel, mode);
      setCount(kernel, perLeaf * BigInt(leaves));
      absorb(kernel, message, cuts[length % 7]!);
      const wanted = expected(`${mode.name} ${length} after ${perLeaf}`, () => {
        const digests = range(0, leaves - 1).map((leaf) => {
          const own = blake2.start(variant, new Uint8Array(), { ...settings, nodeOffset: BigInt(leaf) });
          const part = Buffer.concat(
            range(0, Math.ceil(length / stripe)).map((i) =>
              message.subarray(i * stripe + leaf * block).subarray(0, block),
            ),
          );
          return blake2.finish(variant, { ...own, compressed: perLeaf }, part, leaf === leaves - 1);
        });
        const root = blake2.start(variant, new Uint8Array(), { ...settings, nodeDepth: 1 });
        return blake2.finish(variant, root, Buffer.concat(digests), true);
      });
      checkFinalize(kernel, 0, wanted, `${mode.name}, ${length} bytes after ${perLeaf}`);
    }
  }
}

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

function checkManyOfBlake2s(kernel: Watched): void {
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

function checkBlake2(kernel: Watched, variant: blake2.Variant): void {
  for (const mode of plainModes(variant)) checkMode(kernel, mode);
  checkCountersOfBlake2(kernel, variant);
}

function checkBlake2Lanes(kernel: Watched, variant: blake2.Variant): void {
  for (const mode of parallelModes(variant)) checkMode(kernel, mode);
  checkExtendable(kernel, variant);
  if (kernel.has("lanes")) {
    const lanes = kernel.call("lanes", [], []);
    if (lanes !== 4) throw new Error(`lanes() is ${lanes}, not 4`);
  }
  if (kernel.has("many")) checkManyOfBlake2s(kernel);
  checkCountersOfParallel(kernel, variant);
}

// ---- BLAKE3 ----

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

function checkBlake3(kernel: Watched): void {
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

const checks: Record<string, (kernel: Watched) => void> = {
  blake256: (kernel) => checkBlake1(kernel, blake1.BLAKE256),
  blake512: (kernel) => checkBlake1(kernel, blake1.BLAKE512),
  blake2b: (kernel) => checkBlake2(kernel, blake2.BLAKE2B),
  blake2s: (kernel) => checkBlake2(kernel, blake2.BLAKE2S),
  "blake2b-lanes": (kernel) => checkBlake2Lanes(kernel, blake2.BLAKE2B),
  "blake2s-lanes": (kernel) => checkBlake2Lanes(kernel, blake2.BLAKE2S),
  blake3: checkBlake3,
};

/** Throws what is wrong with a hashing kernel, the first thing that it finds. */
export function checkKernel(module: string, bytes: Uint8Array<ArrayBuffer>): void {
  checks[module]!(open(bytes));
}
