// Counts executed instructions in compiled WebAssembly: rewrites a module so that each instruction of a kind adds to an
// exported counter first. So a cost is measured on the very modules that are shipped, and Node alone is needed.

/**
 * What an instruction adds, from 0 to 63: for its opcode (0xfd00 + n for SIMD), and the constant pushed just before it,
 * if any.
 */
export type Counted = (opcode: number, constant: number | undefined) => number;

export const COUNTER = "counter";

const TYPE_I64 = 0x7e;
const MUTABLE = 1;
const END = 0x0b;
const GLOBAL_EXPORT = 3;
const [GLOBALS, EXPORTS, CODE] = [6, 7, 10];

class Reader {
  at = 0;

  constructor(readonly bytes: Uint8Array) {}

  get done(): boolean {
    return this.at >= this.bytes.length;
  }

  byte(): number {
    if (this.done) throw new RangeError("the module ends too early");
    return this.bytes[this.at++] as number;
  }

  /** A LEB128 number, unsigned. */
  unsigned(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  /** A LEB128 number of at most 32 bits, signed. */
  signed(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      if (shift < 32) value |= (byte & 127) << shift;
      if (byte < 128) return shift < 25 && byte & 64 ? value | (-128 << shift) : value;
    }
  }

  take(length: number): Uint8Array {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...unsigned(Math.floor(value / 128))];
}

function text(value: string): number[] {
  return [...unsigned(value.length), ...Buffer.from(value)];
}

/** Skips a SIMD instruction's immediates. */
function skipSimd(code: Reader, opcode: number): void {
  const isMemory = opcode <= 11 || opcode === 92 || opcode === 93;
  const isLaneOfMemory = opcode >= 84 && opcode <= 91;
  if (isMemory || isLaneOfMemory) skipNumbers(code, 2);
  if (opcode === 12 || opcode === 13) code.take(16);
  if (isLaneOfMemory || (opcode >= 21 && opcode <= 34)) code.take(1);
}

/** Skips the immediates of the instructions from 0xfc00 on: of these, the kernels have memory.copy and memory.fill. */
function skipBulk(code: Reader, opcode: number): void {
  if (opcode === 10) code.take(2);
  else if (opcode === 11) code.take(1);
  else if (opcode > 7) throw new RangeError(`unexpected instruction 0xfc ${opcode}`);
}

function skipNumbers(code: Reader, count: number): void {
  for (let i = 0; i < count; i++) code.unsigned();
}

/** Skips the immediates of an instruction of one byte. */
function skipPlain(code: Reader, opcode: number): void {
  if (opcode >= 0x02 && opcode <= 0x04) code.signed();
  else if (opcode === 0x0e) skipNumbers(code, code.unsigned() + 1);
  else if (opcode === 0x11) skipNumbers(code, 2);
  else if (opcode >= 0x28 && opcode <= 0x3e) skipNumbers(code, 2);
  else if ([0x0c, 0x0d, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x3f, 0x40, 0x42].includes(opcode)) code.unsigned();
  else if (opcode === 0x43) code.take(4);
  else if (opcode === 0x44) code.take(8);
  else if (opcode > 0xc4 || (opcode > 0x1b && opcode < 0x20)) throw new RangeError(`unexpected opcode ${opcode}`);
}

/** Reads one instruction; returns its opcode and, for i32.const, the constant. */
function instruction(code: Reader): { opcode: number; constant: number | undefined } {
  const first = code.byte();
  if (first === 0x41) return { opcode: first, constant: code.signed() };
  if (first !== 0xfc && first !== 0xfd) {
    skipPlain(code, first);
    return { opcode: first, constant: undefined };
  }
  const second = code.unsigned();
  if (first === 0xfd) skipSimd(code, second);
  else skipBulk(code, second);
  return { opcode: first * 256 + second, constant: undefined };
}

function countBody(body: Uint8Array, counter: number, counted: Counted): number[] {
  const code = new Reader(body);
  skipLocals(code);
  const out = [...body.subarray(0, code.at)];
  // global.get, i64.const, i64.add, global.set: it leaves the stack alone.
  const add = (n: number) => [0x23, ...unsigned(counter), 0x42, n, 0x7c, 0x24, ...unsigned(counter)];
  let before: number | undefined;
  while (!code.done) {
    const start = code.at;
    const { opcode, constant } = instruction(code);
    const amount = counted(opcode, before);
    if (amount > 0) out.push(...add(amount));
    for (const byte of body.subarray(start, code.at)) out.push(byte);
    before = constant;
  }
  return out;
}

function skipLocals(code: Reader): void {
  for (let groups = code.unsigned(); groups > 0; groups--) {
    code.unsigned();
    code.byte();
  }
}

/** The content of a section with one more entry in its list. */
function append(content: Uint8Array | undefined, entry: number[]): { content: number[]; count: number } {
  const list = new Reader(content ?? Uint8Array.of(0));
  const count = list.unsigned();
  return { content: [...unsigned(count + 1), ...list.bytes.subarray(list.at), ...entry], count };
}

function countCode(content: Uint8Array, counter: number, counted: Counted): number[] {
  const list = new Reader(content);
  const count = list.unsigned();
  const out = unsigned(count);
  for (let i = 0; i < count; i++) {
    const body = countBody(list.take(list.unsigned()), counter, counted);
    out.push(...unsigned(body.length));
    for (const byte of body) out.push(byte);
  }
  return out;
}

function readSections(module: Uint8Array): Map<number, Uint8Array> {
  const reader = new Reader(module);
  reader.take(8);
  const sections = new Map<number, Uint8Array>();
  while (!reader.done) sections.set(reader.byte(), reader.take(reader.unsigned()));
  return sections;
}

/** The module with a counter, an exported 64-bit global; of custom sections it keeps one at most. */
export function countInstructions(module: Uint8Array, counted: Counted): Uint8Array<ArrayBuffer> {
  const sections = new Map<number, ArrayLike<number>>(readSections(module));
  const global = append(sections.get(GLOBALS) as Uint8Array | undefined, [TYPE_I64, MUTABLE, 0x42, 0, END]);
  const name = [...text(COUNTER), GLOBAL_EXPORT, ...unsigned(global.count)];
  sections.set(GLOBALS, global.content);
  sections.set(EXPORTS, append(sections.get(EXPORTS) as Uint8Array, name).content);
  sections.set(CODE, countCode(sections.get(CODE) as Uint8Array, global.count, counted));
  const out: number[] = [...module.subarray(0, 8)];
  for (const [id, content] of [...sections].sort(([a], [b]) => a - b)) {
    out.push(id, ...unsigned(content.length));
    for (const byte of Array.from(content)) out.push(byte);
  }
  return Uint8Array.from(out);
}
