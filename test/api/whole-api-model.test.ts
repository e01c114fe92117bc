// One state machine over the whole API: hashers of all algorithms, interleaved in any order with one-shots, `many`,
// `into`, saved states, readers, changes of backend, calls that throw, and getters that hash in the middle of another
// call. The model keeps a hasher of an independent implementation for each.
//
// Half of the runs use one algorithm alone, whose hashers then share a kernel. MODEL_COMMANDS is how many commands
// there are, 8000 by default; MODEL_SEED repeats a run.
import type { Algorithm, Hasher } from "blake-simd";
import { restore, save } from "blake-simd/states";
import { updateUint8, updateUint16LE, updateUint32BE, updateUint64LE } from "blake-simd/typed";
import fc from "fast-check";
import { expect, it } from "vitest";
import { useVariant, VARIANTS } from "../support/backends.ts";
import { AREA, expectBytes, pattern } from "../support/messages.ts";
import { type OracleHash, oracleHash } from "../support/oracle.ts";
import { type CommonOptions, expected, type Subject, subjects } from "../support/subjects.ts";

const COMMANDS = Number(process.env.MODEL_COMMANDS ?? 8000);
const PER_RUN = 100;
const LENGTH = { minLength: PER_RUN, maxLength: PER_RUN, size: "max" } as const;
const source = pattern(2 * AREA + 251);
/** Bytes of the kernel's output area (js/engine/memory.ts). */
const OUTPUT = 0x4000;

/** A hasher, and what it ought to be. */
interface Entry {
  readonly subject: Subject;
  readonly hasher: Hasher & {
    xof?(): { position: bigint | number; read(length: number): Uint8Array; dispose(): void };
  };
  readonly options: CommonOptions;
  oracle: OracleHash;
  length: number;
  disposed: boolean;
}

interface Command {
  readonly name: CommandName;
  readonly index: number;
  readonly choice: number;
  readonly from: number;
  readonly length: number;
}

/** The algorithms that a run uses. */
let used: readonly Subject[] = subjects;

const piece = ({ from, length }: Command) => source.subarray(from, from + length);
const subjectOf = ({ choice }: Command) => used[choice % used.length]!;
const optionsOf = ({ modes }: Subject, { index }: Command) => modes[index % modes.length]!;
const wanted = ({ oracle }: Entry) => oracle.clone().digest();

function append(entry: Entry, bytes: Uint8Array): void {
  entry.oracle.update(bytes);
  entry.length += bytes.length;
}

function fresh(subject: Subject, options: CommonOptions): Entry {
  const oracle = oracleHash(subject.name, options);
  return { subject, hasher: subject.algorithm.create(options), options, oracle, length: 0, disposed: false };
}

/** Hashes a number, and returns the bytes that it stands for. */
const numbers: ((hasher: Hasher, value: number) => Buffer)[] = [
  (hasher, value) => {
    updateUint8(hasher, value & 255);
    return Buffer.of(value & 255);
  },
  (hasher, value) => {
    const bytes = Buffer.alloc(2);
    bytes.writeUInt16LE(value);
    updateUint16LE(hasher, value);
    return bytes;
  },
  (hasher, value) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    updateUint32BE(hasher, value);
    return bytes;
  },
  (hasher, value) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(value));
    updateUint64LE(hasher, BigInt(value));
    return bytes;
  },
];

/** What needs a hasher that has not been disposed of. */
const onHasher = {
  update(entry: Entry, command: Command) {
    entry.hasher.update(piece(command));
    append(entry, piece(command));
  },
  updateText(entry: Entry, command: Command) {
    const text = "aé€𝄞"[command.choice % 3]!.repeat(command.length % 3000);
    entry.hasher.update(text);
    append(entry, Buffer.from(text));
  },
  updateNumber(entry: Entry, { choice, from }: Command) {
    append(entry, numbers[choice % numbers.length]!(entry.hasher, from));
  },
  digest(entry: Entry) {
    expectBytes(entry.hasher.digest(), wanted(entry));
  },
  digestInto(entry: Entry) {
    expectBytes(entry.hasher.digestInto(new Uint8Array(entry.hasher.digestLength)), wanted(entry));
  },
  count({ hasher, length }: Entry) {
    expect(hasher.bytesHashed).toBe(BigInt(length));
  },
  clone(entry: Entry, _: Command, entries: Entry[]) {
    entries.push({ ...entry, hasher: entry.hasher.clone(), oracle: entry.oracle.clone() });
  },
  restore(entry: Entry, _: Command, entries: Entry[]) {
    entries.push({
      ...entry,
      hasher: restore(entry.subject.algorithm as Algorithm, save(entry.hasher)) as Entry["hasher"],
      oracle: entry.oracle.clone(),
    });
  },
  reset(entry: Entry) {
    entry.hasher.reset();
    entry.oracle = oracleHash(entry.subject.name, entry.options);
    entry.length = 0;
  },
  read(entry: Entry, { length }: Command) {
    const xof = entry.hasher.xof?.();
    if (!xof) return;
    const output = wanted(entry);
    const from = length % (output.length + 1);
    xof.position = from;
    expectBytes(xof.read(output.length - from), output.subarray(from));
    xof.dispose();
    expect(() => xof.read(1)).toThrow("disposed");
  },
  updateWrongly({ hasher }: Entry, { choice }: Command) {
    const count = hasher.bytesHashed;
    expect(() => hasher.update([5, undefined, {}, null][choice % 4] as never)).toThrow("input must be");
    expect(() => updateUint8(hasher, 256)).toThrow(RangeError);
    expect(hasher.bytesHashed).toBe(count);
  },
  digestWrongly({ hasher }: Entry) {
    expect(() => hasher.digestInto([] as never)).toThrow(TypeError);
    expect(() => hasher.digest("base32" as never)).toThrow("encoding");
  },
};

/** What can be done at any time. */
const always = {
  dispose(entry: Entry) {
    entry.hasher.dispose();
    entry.disposed = true;
  },
  create(_: Entry, command: Command, entries: Entry[]) {
    entries.push(fresh(subjectOf(command), optionsOf(subjectOf(command), command)));
  },
  oneShot(_: Entry, command: Command) {
    const subject = subjectOf(command);
    const options = optionsOf(subject, command);
    expectBytes(subject.algorithm(piece(command), options), expected(subject, piece(command), options));
  },
  into(_: Entry, command: Command) {
    const subject = subjectOf(command);
    const output = new Uint8Array(subject.digestLength);
    subject.algorithm.into(piece(command), output);
    expectBytes(output, expected(subject, piece(command)));
  },
  /** Digests and a read of more than the output area, while bytes wait. */
  readLong(_: Entry, command: Command) {
    const subject = subjectOf(command);
    if (subject.longest < 4 * OUTPUT) return;
    const length = OUTPUT * (1 + (command.choice % 3)) - 1 + (command.index % 3);
    const hasher = subject.algorithm.create({ length }).update("seed") as Entry["hasher"];
    const wanted = expected(subject, Buffer.from("seed"), { length });
    for (const read of [() => hasher.digest(), () => hasher.xof!().read(length), () => hasher.digest()]) {
      expectBytes(read(), wanted);
    }
  },
  many(entry: Entry, command: Command) {
    const subject = subjectOf(command);
    const options = optionsOf(subject, command);
    function* inputs() {
      for (const message of messages) {
        if (!entry.disposed && command.choice % 3 === 0) onHasher.updateNumber(entry, command);
        yield message;
      }
    }
    const messages = Array.from({ length: 1 + (command.from % 9) }, (_, i) =>
      piece(command).subarray(0, (command.length * i) % 3001),
    );
    for (const [i, digest] of subject.algorithm.many(inputs(), options).entries()) {
      expectBytes(digest, expected(subject, messages[i]!, options));
    }
  },
  useBackend(_: Entry, { choice }: Command) {
    useVariant(VARIANTS[choice % 3]!);
  },
  /** Options whose getter uses another hasher, changes the build or throws, while a call reads them. */
  getter(entry: Entry, command: Command) {
    const subject = subjectOf(command);
    const trouble = new Error("tested");
    const options = {
      get [subject.lengths.length > 0 ? "length" : "salt"]() {
        if (!entry.disposed) onHasher.update(entry, { ...command, length: command.length % 200 });
        if (command.from % 3 === 1) useVariant(VARIANTS[command.length % 3]!);
        subject.algorithm("in between", optionsOf(subject, command));
        if (command.from % 3 === 0) throw trouble;
        return undefined;
      },
    };
    const { algorithm } = subject;
    const calls = [
      () => algorithm(piece(command), options),
      () => algorithm.into(piece(command), new Uint8Array(subject.digestLength), options),
      () => algorithm.many(["a", piece(command)], options)[1]!,
      () => algorithm.create(options).update(piece(command)).digest(),
    ];
    const call = calls[command.choice % calls.length]!;
    if (command.from % 3 === 0) expect(call).toThrow(trouble);
    else expectBytes(call(), expected(subject, piece(command)));
  },
  createWrongly(_: Entry, command: Command) {
    expect(() => subjectOf(command).algorithm.create({ color: 1 } as never)).toThrow("unknown option");
    expect(() => subjectOf(command).algorithm.many([piece(command), 7 as never])).toThrow("inputs[1]");
  },
};

const commands = { ...onHasher, ...always };
type CommandName = keyof typeof commands;

function run(command: Command, entries: Entry[]): void {
  const entry = entries[command.index % entries.length]!;
  const act = () => commands[command.name](entry, command, entries);
  if (!entry.disposed || command.name in always) act();
  else expect(() => entry.hasher.update("x")).toThrow(/dispose/);
}

const command: fc.Arbitrary<Command> = fc.record({
  name: fc.oneof(
    { weight: 4, arbitrary: fc.constant<CommandName>("update") },
    { weight: 10, arbitrary: fc.constantFrom(...(Object.keys(commands) as CommandName[])) },
  ),
  index: fc.nat(1000),
  choice: fc.nat(1000),
  from: fc.nat(250),
  length: fc.oneof(
    { weight: 24, arbitrary: fc.nat(300) },
    { weight: 8, arbitrary: fc.nat(5000) },
    { weight: 1, arbitrary: fc.nat(2 * AREA) },
  ),
});

it(`does what the model does in ${COMMANDS} commands`, () => {
  const seed = process.env.MODEL_SEED;
  fc.assert(
    fc.property(fc.nat(2 * subjects.length - 1), fc.array(command, LENGTH), (one, list) => {
      used = one < subjects.length ? [subjects[one]!] : subjects;
      const entries = used.map((subject) => fresh(subject, {}));
      for (const each of list) run(each, entries);
      for (const entry of entries) if (!entry.disposed) expectBytes(entry.hasher.digest(), wanted(entry));
    }),
    { numRuns: Math.ceil(COMMANDS / PER_RUN), endOnFailure: true, ...(seed && { seed: Number(seed) }) },
  );
}, 2_000_000_000);
