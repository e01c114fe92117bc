// What holds in every mode of a hashing kernel: digests in pieces and at once, what a state holds, outputs, and that memory keeps
// no secret.
import { expected, expectSame, pattern } from "./expectations.ts";
import {
  COUNT,
  HEAD,
  INPUT,
  INPUT_SIZE,
  ONESHOT,
  OUTPUT,
  PARAMETERS,
  type Range,
  ROOT,
  STATE,
  soil,
  type Watched,
  WORKERS,
} from "./memory.ts";

/** One way to use a kernel. */
export interface Mode {
  readonly name: string;
  readonly parameters: Uint8Array;
  readonly block: number;
  /** Bytes of output that tests ask for; the first is the digest's own. */
  readonly outputs: readonly number[];
  readonly lengths: readonly number[];
  readonly long: readonly number[];
  /** Returns parameters with a secret of this byte, if the mode has a secret. */
  secret(byte: number): Uint8Array;
  expected(message: Uint8Array, length: number): Uint8Array;
  /** What the state must be after a message, as far as it does not depend on how that was cut into pieces. */
  state(length: number): { size?: number; buffered?: number; prefix: number; flags: number };
  readonly extendable: boolean;
}

export function load(kernel: Watched, parameters: Uint8Array): void {
  kernel.fill([PARAMETERS, PARAMETERS + 0x100], 0);
  kernel.set(PARAMETERS, parameters);
}

const outputOf = (length: number): Range => [OUTPUT, OUTPUT + Math.max(length, 64)];
export const sizeOf = (kernel: Watched, at: number) => kernel.view.getUint32(at, true);

export function init(kernel: Watched, mode: Mode): void {
  load(kernel, mode.parameters);
  kernel.fill([STATE, ONESHOT], soil);
  kernel.call("init", [STATE], [[STATE, ONESHOT]]);
}

/** Moves the state out and back in, as a swap of hashers does. */
export function swap(kernel: Watched): void {
  const size = sizeOf(kernel, STATE);
  if (!(size >= HEAD && size <= ONESHOT - STATE)) throw new Error(`the size of a state is ${size}`);
  const saved = kernel.copy(STATE, size);
  kernel.fill([STATE, ONESHOT], soil ^ 0xff);
  kernel.set(STATE, saved);
}

/** Absorbs a message in pieces, each of which may be as long as INPUT. */
export function absorb(kernel: Watched, message: Uint8Array, pieces: readonly number[]): void {
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

export function checkFinalize(kernel: Watched, output: number, wanted: Uint8Array, where: string): void {
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
export function checkSqueezes(kernel: Watched, output: number, wanted: Uint8Array, where: string): void {
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
  load(kernel, mode.parameters);
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
    load(kernel, mode.secret(secret));
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
  const root = () => {
    kernel.call("init", [STATE], [[STATE, ONESHOT]]);
    kernel.call("update", [STATE, INPUT, length], [[STATE, ONESHOT]]);
    kernel.fill([INPUT, INPUT + length], soil);
    kernel.call("root", [STATE], [[ROOT, WORKERS]]);
    kernel.fill([STATE, STATE + sizeOf(kernel, STATE)], 0);
  };
  // Calls of squeeze would write over what it left on the stack.
  kernel.expectForgotten((secret) => use(secret, root), [[ROOT, WORKERS]], `${where} root`);
  const squeezes = () => {
    root();
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

export const cuts = [
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

export function checkMode(kernel: Watched, mode: Mode): void {
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

export const longCuts = [[INPUT_SIZE], [1, INPUT_SIZE, 1023], [2048 + 64, INPUT_SIZE, 700, 1024]];

export function setCount(kernel: Watched, count: bigint): void {
  kernel.view.setBigUint64(STATE + COUNT, count & 0xffffffffffffffffn, true);
  kernel.view.setBigUint64(STATE + COUNT + 8, count >> 64n, true);
}
