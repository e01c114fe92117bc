// The code of a WebAssembly module as instructions, as far as kernels have them (WebAssembly 2.0 section 5.4), and back.
import { BinaryReader } from "./binary-reader.mjs";

/**
 * @typedef {object} Instruction
 * @property {number} op
 * @property {number} [index] of a local, a label or a function
 * @property {number[]} [labels] of a br_table
 * @property {Buffer} bytes
 * @property {number} at where its bytes are in the module
 */

/**
 * @typedef {object} Body
 * @property {number} parameters how many of the locals are parameters
 * @property {number[]} locals the type of each
 * @property {Instruction[]} instructions
 */

export const [GET, SET, TEE] = [0x20, 0x21, 0x22];
export const [BLOCK, LOOP, IF, ELSE, END, BRANCH, BRANCH_IF, BRANCH_TABLE, RETURN, UNREACHABLE] = [
  0x02, 0x03, 0x04, 0x05, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x00,
];
const CODE = 10;
const INDEXED = new Set([GET, SET, TEE, BRANCH, BRANCH_IF, 0x10]);

class CodeReader extends BinaryReader {
  section() {
    const start = this.at;
    const id = this.byte();
    const length = this.number();
    const contents = this.at;
    this.at += length;
    return { id, contents, bytes: this.bytes.subarray(start, this.at) };
  }

  vector() {
    const op = this.number();
    if (op <= 11 || op === 92 || op === 93) this.numbers(2);
    else if (op === 12 || op === 13) this.at += 16;
    else if (op >= 21 && op <= 34) this.at++;
    else if (op >= 84 && op <= 91) this.numbers(3);
  }

  bulk() {
    const op = this.number();
    if (op !== 10 && op !== 11) throw new Error(`instruction 0xfc ${op} is not known here`);
    this.numbers(op === 10 ? 2 : 1);
  }

  numbers(count) {
    for (let i = 0; i < count; i++) this.number();
  }

  /** @returns {Instruction} */
  instruction() {
    const at = this.at;
    const op = this.byte();
    const instruction = { op, at };
    if (INDEXED.has(op)) instruction.index = this.number();
    else if (op === BRANCH_TABLE) instruction.labels = [...this.list(() => this.number()), this.number()];
    else if (op === 0xfd) this.vector();
    else if (op === 0xfc) this.bulk();
    else if (op >= 0x28 && op <= 0x3e) this.numbers(2);
    else if ([BLOCK, LOOP, IF, 0x23, 0x24, 0x3f, 0x40, 0x41, 0x42].includes(op)) this.number();
    else if (!(op >= 0x45 && op <= 0xc4) && ![UNREACHABLE, ELSE, END, RETURN, 1, 0x1a, 0x1b].includes(op)) {
      throw new Error(`instruction 0x${op.toString(16)} is not known here`);
    }
    return { ...instruction, bytes: this.bytes.subarray(at, this.at) };
  }

  /** @returns {Body} */
  body(parameters) {
    const end = this.number() + this.at;
    const runs = this.list(() => Array(this.number()).fill(this.byte()));
    const instructions = [];
    while (this.at < end) instructions.push(this.instruction());
    return { parameters: parameters.length, locals: [...parameters, ...runs.flat()], instructions };
  }
}

/** @returns {{ sections: { id: number, bytes: Buffer }[], bodies: Body[] }} */
export function readCode(bytes) {
  const reader = new CodeReader(bytes, 8);
  const sections = [];
  while (reader.at < bytes.length) sections.push(reader.section());
  const inside = (id) => new CodeReader(bytes, sections.find((section) => section.id === id).contents);
  const types = inside(1);
  const signatures = types.list(() => {
    types.byte();
    const parameters = types.list(() => types.byte());
    types.list(() => types.byte());
    return parameters;
  });
  const functions = inside(3);
  const used = functions.list(() => signatures[functions.number()]);
  const code = inside(CODE);
  code.number();
  return { sections, bodies: used.map((parameters) => code.body(parameters)) };
}

function encode(number) {
  return number < 128 ? [number] : [(number % 128) + 128, ...encode(Math.floor(number / 128))];
}

function encodeLocals({ parameters, locals }) {
  const runs = [];
  for (const type of locals.slice(parameters)) {
    if (runs.at(-1)?.type === type) runs.at(-1).count++;
    else runs.push({ type, count: 1 });
  }
  return [...encode(runs.length), ...runs.flatMap(({ type, count }) => [...encode(count), type])];
}

export const namesLocal = ({ op }) => op === GET || op === SET || op === TEE;

function encodeBody(body) {
  const instructions = body.instructions.map((instruction) =>
    namesLocal(instruction) ? [instruction.op, ...encode(instruction.index)] : [...instruction.bytes],
  );
  const bytes = [encodeLocals(body), ...instructions].flat();
  return [...encode(bytes.length), ...bytes];
}

/** The module with these bodies in the place of its own. */
export function withBodies(bytes, bodies) {
  const contents = [encode(bodies.length), ...bodies.map(encodeBody)].flat();
  const code = Buffer.from([CODE, ...encode(contents.length), ...contents]);
  const sections = readCode(bytes).sections.map((section) => (section.id === CODE ? code : section.bytes));
  return Buffer.concat([bytes.subarray(0, 8), ...sections]);
}
