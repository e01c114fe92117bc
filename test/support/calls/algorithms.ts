// Every way to hash with an algorithm, plain and under each option.
import type { Algorithm, ExtendableHasher, Hasher } from "blake-simd";
import * as states from "blake-simd/states";
import { concat } from "../bao.ts";
import { same } from "../messages.ts";
import type { Subject } from "../subjects.ts";
import {
  type Arrays,
  arraysOf,
  type Bytes,
  bytesFor,
  type Call,
  type Code,
  digest,
  HEAD,
  type Library,
  LONG,
  LONGER,
  optionsIn,
  SHORT,
  text,
  updated,
} from "./call.ts";

const ofHex = (hex: string): Bytes => new Uint8Array(Buffer.from(hex, "hex"));

const HONEST = Array.from({ length: 9 }, (_, i) => bytesFor(`honest ${i}`, 900 + 13 * i));

/** The honest messages around one that changes: before it there is one for each lane. */
const amid = <T>(message: T): (T | Bytes)[] => [...HONEST.slice(0, 5), message, ...HONEST.slice(5)];

export function callsOf(subject: Subject): Call[] {
  const { name, blockLength, digestLength, longest } = subject;
  const word = blockLength / 16;
  const salts = { salt: 2 * word, personal: 2 * word };
  const sets: Record<string, number>[] =
    name === "blake3"
      ? [{ key: 32 }, { context: 45 }]
      : /^blake2.p$/.test(name)
        ? [{ key: 4 * word }]
        : /^blake2[bsx]/.test(name)
          ? [{ key: 4 * word, ...salts }]
          : [{ salt: 4 * word }];
  return [undefined, ...sets].flatMap((set) => {
    const under = set ? ` under ${Object.keys(set).join(", ")}` : "";
    const algorithmOf = (library: Library) => library.algorithms[name]!;
    const hashed = (a: Arrays) => digest(subject, a.message!, optionsIn(a));
    const after = (a: Arrays) => digest(subject, concat([text(HEAD), a.message!]), optionsIn(a));
    const given = (a: Arrays, code: Code) => {
      const options = optionsIn(a);
      return options && code.options(options);
    };
    type Row = [what: string, lengths: Record<string, number>, run: Call["run"], expected: Call["expected"]];
    const calls: Row[] = [
      ["", { message: SHORT }, (library, a, code) => algorithmOf(library)(a.message!, given(a, code)), hashed],
      [
        " of a long message",
        { message: LONG },
        (library, a, code) => algorithmOf(library)(a.message!, given(a, code)),
        hashed,
      ],
      [
        ".hex",
        { message: SHORT },
        (library, a, code) => ofHex(algorithmOf(library).hex(a.message!, given(a, code))),
        hashed,
      ],
      ...[SHORT, LONG].map(
        (length): Row => [
          `.into of ${length} bytes`,
          { message: length, output: digestLength + 8 },
          (library, a, code) => algorithmOf(library).into(a.message!, a.output!, given(a, code)),
          (a) => concat([hashed(a), a.output!.subarray(digestLength)]),
        ],
      ),
      ...[500, LONGER].map(
        (length): Row => [
          `.many with one of ${length} bytes`,
          { message: length },
          (library, a, code) => concat(algorithmOf(library).many(code.list(amid(a.message!)), given(a, code))),
          (a) => concat(amid(a.message!).map((message) => digest(subject, message, optionsIn(a)))),
        ],
      ),
      ...[SHORT, LONG].map(
        (length): Row => [
          `: an update of ${length} bytes, digestInto`,
          { message: length, output: digestLength + 8 },
          (library, a, code) => {
            const hasher = algorithmOf(library).create(given(a, code));
            return updated(hasher, a.message!, digested, (each) => each.digestInto(a.output!));
          },
          (a) => concat([after(a), a.output!.subarray(digestLength)]),
        ],
      ),
      [
        ": save and restore",
        { message: SHORT },
        (library, a, code) => {
          const saved = updated(algorithmOf(library).create(given(a, code)), a.message!, digested, library.states.save);
          const restored = library.states.restore(algorithmOf(library) as Algorithm<never, Hasher>, saved);
          const result = restored.digest();
          restored.dispose();
          return result;
        },
        after,
      ],
    ];
    if (longest > 64) {
      calls.push([
        ": a read of its output",
        { message: SHORT, output: digestLength },
        (library, a, code) => {
          const hasher = algorithmOf(library).create(given(a, code)) as ExtendableHasher;
          const reader = updated(hasher, a.message!, digested, (each) => each.xof());
          reader.readInto(a.output!);
          reader.dispose();
          return a.output!;
        },
        after,
      ]);
    }
    // What is done in pieces or with the digest is the same under all options.
    const own = set ? calls.filter(([what, { message }]) => what !== ".hex" && message! < LONGER) : calls;
    const made = own.map(([what, lengths, run, expected]) => ({
      name: `${name}${what}${under}`,
      subject,
      arrays: arraysOf({ ...lengths, ...set }),
      run,
      expected,
    }));
    return set ? [...made, stateCall(subject, set, under)] : made;
  });
}

const digested = (hasher: Hasher): Bytes => hasher.digest();

/** A saved state that changes: it is refused, unless it has been copied before. */
function stateCall(subject: Subject, set: Record<string, number>, under: string): Call {
  const message = bytesFor("message", SHORT);
  const options = optionsIn(arraysOf(set))!;
  const state = states.save(subject.algorithm.create(options as object).update(message));
  return {
    name: `restore of ${subject.name}${under}`,
    subject,
    arrays: { state },
    run(library, a) {
      const hasher = library.states.restore(library.algorithms[subject.name] as Algorithm<never, Hasher>, a.state!);
      const result = hasher.digest();
      hasher.dispose();
      return result;
    },
    expected: (a) => (same(a.state!, state) ? digest(subject, message, options) : undefined),
  };
}
