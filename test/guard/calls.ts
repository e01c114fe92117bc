// The public API as calls that take a caller's arrays: what each is given, how it is called, and what an independent
// implementation says to the same bytes. A call that is added here is tried while its memory changes, by
// changing-memory.test.ts step by step and by raced-memory.test.ts from a second thread.
import { finished } from "node:stream/promises";
import { blake2b as nobleBlake2b, blake2s as nobleBlake2s } from "@noble/hashes/blake2.js";
import { expand as nobleExpand, hkdf as nobleHkdf } from "@noble/hashes/hkdf.js";
import { hmac as nobleHmac } from "@noble/hashes/hmac.js";
import type { Algorithm, ExtendableHasher, Hasher } from "blake-simd";
import * as main from "blake-simd";
import {
  BaoDecodeStream,
  BaoEncodeStream,
  Outboard,
  outboard,
  outboardOf,
  outboardOfGroups,
  VerifiedRangeStream,
} from "blake-simd/bao";
import * as hazmat from "blake-simd/hazmat";
import * as hmacs from "blake-simd/hmac";
import * as javascript from "blake-simd/javascript";
import * as javascriptHmacs from "blake-simd/javascript/hmac";
import * as javascriptStates from "blake-simd/javascript/states";
import * as javascriptStreams from "blake-simd/javascript/streams";
import { createHash, createHmac, hashThrough } from "blake-simd/node";
import { Blake3Pool } from "blake-simd/parallel";
import * as states from "blake-simd/states";
import * as streams from "blake-simd/streams";
import { concat } from "../support/bao.ts";
import { same } from "../support/messages.ts";
import { keyed, PLAIN, parentValue, subtreeValue } from "../support/reference-blake3.ts";
import { type Subject, subjects } from "../support/subjects.ts";

type Bytes = Uint8Array;
export type Arrays = Record<string, Bytes>;

/** A build of the package, as far as every build has it. */
export interface Library {
  readonly algorithms: Record<string, Algorithm<object>>;
  readonly states: typeof states;
  readonly streams: typeof streams;
  readonly hmacs: typeof hmacs;
}

/** Where a caller's code runs during a call. */
export interface Code {
  /** Options whose getters run it. */
  options<O extends object>(options: O): O;
  /** A list whose iterator runs it. */
  list<T>(items: readonly T[]): Iterable<T>;
}

export interface Call {
  readonly name: string;
  /** The algorithm whose kernel computes. */
  readonly subject: Subject;
  /** What a caller holds. Those in `BYTES` have to be Uint8Arrays; the others may be any input. */
  readonly arrays: Arrays;
  run(library: Library, arrays: Arrays, code: Code): Bytes | Promise<Bytes>;
  /** What the call returns for these bytes; throws, or returns undefined, if it has to refuse them. */
  expected(arrays: Arrays): Bytes | undefined;
  /** The changes after which the result is unspecified. */
  readonly unspecified?: RegExp;
}

/** Arrays that a call takes as Uint8Arrays only. */
export const BYTES: ReadonlySet<string> = new Set([
  "output",
  "state",
  "value",
  "groupValues",
  "left",
  "right",
  "tree",
  "data",
]);

const SHORT = 100;
const LONGER = 20_000;
const LONG = 150_000;

/** Bytes that tell the arrays of a call from one another. */
export function bytesFor(name: string, length: number): Bytes {
  const seed = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_521, 7);
  return Uint8Array.from({ length }, (_, i) => (seed + 1 + ((i * 2_654_435_761) >>> 13)) % 256);
}

function arraysOf(lengths: Record<string, number>): Arrays {
  return Object.fromEntries(Object.entries(lengths).map(([name, length]) => [name, bytesFor(name, length)]));
}

interface Options {
  key?: Bytes;
  salt?: Bytes;
  personal?: Bytes;
  context?: Bytes;
  length?: number;
}

const OPTIONS = ["key", "salt", "personal", "context"] as const;

/** The options among a call's arrays. */
function optionsIn(arrays: Arrays): Options | undefined {
  const names = OPTIONS.filter((name) => arrays[name] !== undefined);
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, arrays[name]!]));
}

/** The digest by an independent implementation; throws for options that the algorithm does not have. */
function digest(subject: Subject, message: Bytes, options: Options = {}): Bytes {
  const { name, keyLengths, blockLength } = subject;
  const { key, salt, personal } = options;
  const word = blockLength / 16;
  if (key && !keyLengths.includes(key.length)) throw new RangeError("key");
  if (/^blake2[bsx]/.test(name)) {
    if ([salt, personal].some((bytes) => bytes && bytes.length > 2 * word)) throw new RangeError("salt");
    const padded = (bytes?: Bytes) => bytes && concat([bytes, new Uint8Array(2 * word - bytes.length)]);
    const plain = name === "blake2b" ? nobleBlake2b : name === "blake2s" ? nobleBlake2s : undefined;
    const settings = { ...(key && { key }), ...(salt && { salt: padded(salt)! }) };
    if (plain) return plain(message, { ...settings, ...(personal && { personalization: padded(personal)! }) });
    return subject
      .oracle({ ...settings, ...(personal && { personal: padded(personal)! }) })
      .update(message)
      .digest();
  }
  if (salt && salt.length !== 4 * word) throw new RangeError("salt");
  return subject
    .oracle(options as object)
    .update(message)
    .digest();
}

const text = (string: string): Bytes => new TextEncoder().encode(string);
const ofHex = (hex: string): Bytes => new Uint8Array(Buffer.from(hex, "hex"));

/** Updates a hasher, which has to go on as before if that throws, and disposes of it after use. */
function updated<H extends { update(input: Bytes | string): unknown; dispose(): void }, T>(
  hasher: H,
  message: Bytes,
  read: (hasher: H) => Bytes,
  use: (hasher: H) => T,
): T {
  try {
    hasher.update(HEAD);
    const before = read(hasher);
    try {
      hasher.update(message);
    } catch (error) {
      if (Buffer.compare(read(hasher), before) !== 0) throw new Error("a refused update has changed the hasher");
      throw error;
    }
    return use(hasher);
  } finally {
    hasher.dispose();
  }
}

const HEAD = "head";

const HONEST = Array.from({ length: 9 }, (_, i) => bytesFor(`honest ${i}`, 900 + 13 * i));

/** The honest messages around one that changes: before it there is one for each lane. */
const amid = <T>(message: T): (T | Bytes)[] => [...HONEST.slice(0, 5), message, ...HONEST.slice(5)];

function callsOf(subject: Subject): Call[] {
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
          (library, a, code) => algorithmOf(library).into(a.output!, a.message!, given(a, code)),
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

const of = (name: string): Subject => subjects.find((subject) => subject.name === name)!;
const blake3 = of("blake3");

interface Passing {
  readonly writable: WritableStream<Bytes>;
  readonly readable: ReadableStream<Bytes>;
}

/** Whether nothing can be read of a view any more. */
function isDetached(bytes: Bytes): boolean {
  try {
    bytes.keys();
    return false;
  } catch {
    return true;
  }
}

/** Writes one chunk to a stream, and returns all that comes out. */
async function through({ writable, readable }: Passing, chunk: Bytes): Promise<Bytes> {
  const writer = writable.getWriter();
  const pieces: Bytes[] = [];
  const read = async (): Promise<void> => {
    for await (const piece of readable) if (!isDetached(piece)) pieces.push(new Uint8Array(piece));
  };
  const steps = [writer.write(chunk), writer.close(), read()];
  const [failed] = (await Promise.allSettled(steps)).filter(({ status }) => status === "rejected");
  if (failed) throw (failed as PromiseRejectedResult).reason;
  return concat(pieces);
}

const messageHashed = (a: Arrays): Bytes => digest(blake3, a.message!, optionsIn(a));
const keyOf = (a: Arrays) => {
  if (a.key!.length !== 32) throw new RangeError("key");
  return keyed(a.key!);
};

function streamCalls(): Call[] {
  const message = bytesFor("message", SHORT);
  const own = (library: Library) => library.algorithms.blake3!;
  const arrays = arraysOf({ message: SHORT, key: 32 });
  const calls: [name: string, run: Call["run"], arrays?: Arrays, expected?: Call["expected"]][] = [
    [
      "HashStream",
      async ({ streams, ...library }, a, code) => {
        const stream = new streams.HashStream<Bytes, object>(own(library as Library), code.options({ key: a.key! }));
        await through(stream, a.message!);
        return stream.digest;
      },
    ],
    [
      "DigestStream",
      async ({ streams, ...library }, a, code) => {
        const stream = new streams.DigestStream(own(library as Library), code.options({ key: a.key! }));
        const writer = stream.getWriter();
        await Promise.all([writer.write(a.message!), writer.close()]);
        return stream.digest;
      },
    ],
    [
      "VerifyStream",
      async ({ streams, ...library }, a) => {
        const stream = new streams.VerifyStream<Bytes>(own(library as Library), a.expected!);
        await through(stream, a.message!);
        return stream.digest;
      },
      { message, expected: digest(blake3, message) },
      (a) => (same(digest(blake3, a.message!), a.expected!) ? a.expected! : undefined),
    ],
    [
      "digestOf bytes",
      (library, a, code) => library.streams.digestOf(own(library), a.message!, code.options({ key: a.key! })),
    ],
    [
      "digestOf a list",
      (library, a, code) =>
        library.streams.digestOf(own(library), code.list([a.message!]), code.options({ key: a.key! })),
    ],
  ];
  return calls.map(([name, run, other = arrays, expected = messageHashed]) => ({
    name,
    subject: blake3,
    arrays: other,
    run,
    expected,
  }));
}

function hmacCalls(): Call[] {
  return [
    { subject: of("blake2s"), noble: nobleBlake2s },
    { subject: of("blake2b"), noble: nobleBlake2b },
  ].flatMap(({ subject, noble }) => {
    const own = (library: Library) => library.algorithms[subject.name] as Algorithm<never>;
    const mac = (a: Arrays) => nobleHmac(noble, a.key!, a.message!);
    const calls: [name: string, lengths: Record<string, number>, run: Call["run"], expected: Call["expected"]][] = [
      ...[20, 300].map((key): (typeof calls)[0] => [
        `hmac with a key of ${key} bytes`,
        { key, message: SHORT },
        (library, a) => library.hmacs.hmac(own(library), a.key!, a.message!),
        mac,
      ]),
      [
        "hmac.create",
        { key: 20, message: SHORT },
        (library, a) => {
          const made = library.hmacs.hmac.create(own(library), a.key!);
          return updated(
            made,
            a.message!,
            (each) => each.digest(),
            (each) => each.digest(),
          );
        },
        (a) => nobleHmac(noble, a.key!, concat([text(HEAD), a.message!])),
      ],
      [
        "hkdf",
        { material: 40, salt: 20, info: 50 },
        (library, { material, ...rest }, code) =>
          library.hmacs.hkdf(own(library), material!, code.options({ ...rest, length: 100 })),
        (a) => nobleHkdf(noble, a.material!, a.salt, a.info, 100),
      ],
      [
        "hkdf.expand",
        { key: 64, info: 50 },
        (library, a) => library.hmacs.hkdf.expand(own(library), a.key!, a.info, 100),
        (a) => nobleExpand(noble, a.key!, a.info, 100),
      ],
      [
        "nobleHash",
        { message: SHORT },
        (library, a) => library.hmacs.nobleHash(own(library))(a.message!),
        (a) => noble(a.message!),
      ],
    ];
    return calls.map(([name, lengths, run, expected]) => ({
      name: `${name}, ${subject.name}`,
      subject,
      arrays: arraysOf(lengths),
      run,
      expected,
    }));
  });
}

const ROOT_FLAG = 8;
const PLAIN_ROOT = { ...PLAIN, flags: PLAIN.flags | ROOT_FLAG };

/** Sets a value that changes between two that do not; an honest one has to be accepted after it was refused. */
function collected(part: number, group: number | undefined, set: (collector: hazmat.SubtreeCollector) => void): Bytes {
  const collector = new hazmat.SubtreeCollector(4 * part, part, { ...(group && { group }) });
  const setHonest = (index: number) => {
    const { value, groups } = partOf(index, part, group);
    collector.set(index * part, value, groups);
  };
  for (const index of [0, 2, 3]) setHonest(index);
  try {
    set(collector);
  } catch (error) {
    setHonest(1);
    if (!same(collector.digest(), digest(blake3, objectOf(part))))
      throw new Error("a refused value has changed another");
    throw error;
  }
  return group ? concat([collector.digest(), collector.groupValues()]) : collector.digest();
}

const objectOf = (part: number): Bytes => bytesFor("object", 4 * part);

function partOf(index: number, part: number, group: number | undefined): { value: Bytes; groups?: Bytes } {
  const bytes = objectOf(part).subarray(index * part, (index + 1) * part);
  const value = subtreeValue(PLAIN, bytes, BigInt((index * part) / 1024));
  if (group === undefined) return { value };
  const at = (first: number) => BigInt((index * part + first) / 1024);
  const firsts = Array.from({ length: part / group }, (_, i) => i * group);
  return {
    value,
    groups: concat(firsts.map((first) => subtreeValue(PLAIN, bytes.subarray(first, first + group), at(first)))),
  };
}

function hazmatCalls(): Call[] {
  const pair = (a: Arrays): [Bytes, Bytes] => {
    for (const bytes of [a.left!, a.right!]) if (bytes.length !== 32) throw new RangeError("value");
    return [a.left!, a.right!];
  };
  const part = partOf(1, 2048, 1024);
  const others = [0, 2, 3].map((index) => partOf(index, 1024, undefined).value);
  const half = new hazmat.SubtreeCollector(4096, 1024);
  half.set(1024, partOf(1, 1024, undefined).value);
  const saved = half.save();
  const calls: [name: string, arrays: Arrays, run: Call["run"], expected: Call["expected"]][] = [
    [
      "chainingValue",
      arraysOf({ message: 3000, key: 32 }),
      (_, a, code) => hazmat.chainingValue(a.message!, code.options({ key: a.key! })),
      (a) => subtreeValue(keyOf(a), a.message!, 0n),
    ],
    [
      "SubtreeHasher",
      arraysOf({ message: 3000, key: 32 }),
      (_, a, code) =>
        updated(
          new hazmat.SubtreeHasher(code.options({ key: a.key! })),
          a.message!,
          (each) => each.chainingValue(),
          (each) => each.chainingValue(),
        ),
      (a) => subtreeValue(keyOf(a), concat([text(HEAD), a.message!]), 0n),
    ],
    [
      "SubtreeGroupHasher",
      arraysOf({ message: 3000, key: 32 }),
      (_, a, code) =>
        updated(
          new hazmat.SubtreeGroupHasher(code.options({ group: 1024, key: a.key! })),
          a.message!,
          (each) => each.chainingValue(),
          (each) => concat([each.groupValues(), each.chainingValue()]),
        ),
      (a) => {
        const [mode, bytes] = [keyOf(a), concat([text(HEAD), a.message!])];
        const groups = Array.from({ length: Math.ceil(bytes.length / 1024) }, (_, i) =>
          subtreeValue(mode, bytes.subarray(i * 1024, (i + 1) * 1024), BigInt(i)),
        );
        return concat([...groups, subtreeValue(mode, bytes, 0n)]);
      },
    ],
    [
      "mergeSubtrees",
      arraysOf({ left: 32, right: 32, key: 32 }),
      (_, a, code) => hazmat.mergeSubtrees(a.left!, a.right!, code.options({ key: a.key! })),
      (a) => parentValue(keyOf(a), ...pair(a)),
    ],
    [
      "rootOf",
      arraysOf({ left: 32, right: 32 }),
      (_, a, code) => hazmat.rootOf(a.left!, a.right!, {}, code.options({ length: 32 })),
      (a) => parentValue(PLAIN_ROOT, ...pair(a)),
    ],
    [
      "SubtreeCollector.set",
      { value: partOf(1, 1024, undefined).value },
      (_, a) => collected(1024, undefined, (collector) => collector.set(1024, a.value!)),
      ({ value }) => {
        if (value!.length !== 32) throw new RangeError("value");
        const [first, third, fourth] = others as [Bytes, Bytes, Bytes];
        return parentValue(PLAIN_ROOT, parentValue(PLAIN, first, value!), parentValue(PLAIN, third, fourth));
      },
    ],
    [
      "SubtreeCollector.set with group values",
      { value: part.value, groupValues: part.groups! },
      (_, a) => collected(2048, 1024, (collector) => collector.set(2048, a.value!, a.groupValues!)),
      (a) => {
        if (!same(a.value!, part.value) || !same(a.groupValues!, part.groups)) return undefined;
        const groups = [0, 1, 2, 3].map((index) => partOf(index, 2048, 1024).groups!);
        return concat([digest(blake3, objectOf(2048)), ...groups]);
      },
    ],
    [
      "SubtreeCollector.restore",
      { state: saved },
      (_, a) => hazmat.SubtreeCollector.restore(a.state!).save(),
      (a) => (same(a.state!, saved) ? saved : undefined),
    ],
  ];
  return calls.map(([name, arrays, run, expected]) => ({ name, subject: blake3, arrays, run, expected }));
}

async function baoCalls(): Promise<Call[]> {
  const content = bytesFor("content", 40_000);
  const root = digest(blake3, content);
  const group = 1024;
  const honest = outboard(content, { group });
  const tree = honest.toBytes();
  const encoding = await through(new BaoEncodeStream(honest), content);
  const groups = concat(
    Array.from({ length: Math.ceil(content.length / group) }, (_, i) =>
      subtreeValue(PLAIN, content.subarray(i * group, (i + 1) * group), BigInt(i)),
    ),
  );
  /** The root of an outboard that is whole. */
  const rootOf = (made: Outboard): Bytes => {
    made.check();
    return made.root;
  };
  const only = (name: string, wanted: Bytes, result: Bytes) => (a: Arrays) =>
    same(a[name]!, wanted) && (a.root === undefined || same(a.root, root)) ? result : undefined;
  const contentHashed = (a: Arrays) => digest(blake3, a.content!);
  const calls: [name: string, arrays: Arrays, run: Call["run"], expected: Call["expected"]][] = [
    ["outboard", { content }, (_, a, code) => rootOf(outboard(a.content!, code.options({ group }))), contentHashed],
    [
      "outboardOf",
      { content },
      async (_, a, code) => rootOf(await outboardOf(a.content!, code.options({ group }))),
      contentHashed,
    ],
    [
      "outboardOf a list",
      { content },
      async (_, a, code) => rootOf(await outboardOf(code.list([a.content!]), { group })),
      contentHashed,
    ],
    [
      "Outboard.from",
      { tree, root },
      (_, a, code) => rootOf(Outboard.from(a.tree!, code.options({ root: a.root!, group }))),
      only("tree", tree, root),
    ],
    [
      "Outboard.fromParts",
      { tree, root },
      async (_, a, code) => {
        const parts = code.list([{ start: 0, bytes: a.tree! }]);
        const made = Outboard.fromParts(parts, code.options({ root: a.root!, length: content.length, group }));
        return through(new VerifiedRangeStream(made), content);
      },
      only("tree", tree, content),
    ],
    [
      "outboardOfGroups",
      { values: groups, root },
      (_, a, code) =>
        rootOf(outboardOfGroups(a.values!, code.options({ root: a.root!, length: content.length, group }))),
      only("values", groups, root),
    ],
    [
      "BaoEncodeStream",
      { content },
      (_, a) => through(new BaoEncodeStream(honest), a.content!),
      only("content", content, encoding),
    ],
    [
      "BaoDecodeStream",
      { encoding, root },
      (_, a) => through(new BaoDecodeStream(a.root!), a.encoding!),
      only("encoding", encoding, content),
    ],
    [
      "VerifiedRangeStream",
      { content },
      (_, a) => through(new VerifiedRangeStream(honest), a.content!),
      only("content", content, content),
    ],
  ];
  return calls.map(([name, arrays, run, expected]) => ({
    name,
    subject: blake3,
    arrays,
    run,
    expected,
    // It passes on views of its chunks, which their writer must not change (docs/bao.md).
    ...(name === "VerifiedRangeStream" && { unspecified: /overwritten|shrunk|detached/ }),
  }));
}

/** Writes a chunk to a stream of Node's. */
function write(stream: NodeJS.ReadWriteStream, chunk: Bytes): void {
  stream.resume();
  try {
    stream.end(chunk);
  } catch (error) {
    // Node's own, for a detached chunk.
    throw new TypeError(`write: chunk must have bytes, got ${error}`);
  }
}

function nodeCalls(): Call[] {
  const calls: [name: string, subject: string, run: Call["run"], expected?: Call["expected"]][] = [
    [
      "createHash",
      "blake2b",
      (_, a, code) =>
        createHash("blake2b512", code.options({ key: a.key! }))
          .update(a.data!)
          .digest(),
    ],
    [
      "createHash, a stream",
      "blake2b",
      async (_, a, code) => {
        const hash = createHash("blake2b512", code.options({ key: a.key! }));
        write(hash, a.data!);
        await finished(hash);
        return hash.digest();
      },
    ],
    [
      "createHmac",
      "blake2s",
      (_, a) => (createHmac("blake2s256", a.key!) as ReturnType<typeof createHash>).update(a.data!).digest(),
      (a) => nobleHmac(nobleBlake2s, a.key!, a.data!),
    ],
    [
      "hashThrough",
      "blake2b",
      // Not to its end, which a Transform never reaches if a chunk that it passes on is detached.
      (library, a, code) =>
        new Promise((resolve, reject) => {
          const { blake2b } = library.algorithms;
          const stream = hashThrough(blake2b!, resolve, code.options({ key: a.key! }));
          write(stream.on("error", reject), a.data!);
        }),
    ],
  ];
  return calls.map(([name, algorithm, run, expected]) => {
    const subject = of(algorithm);
    return {
      name,
      subject,
      arrays: arraysOf({ data: SHORT, key: 32 }),
      run,
      expected: expected ?? ((a: Arrays) => digest(subject, a.data!, optionsIn(a))),
    };
  });
}

export const pool = new Blake3Pool({ threads: 2 });

function poolCalls(): Call[] {
  return [SHORT, 2 ** 20].map((length) => ({
    name: `Blake3Pool.hash of ${length} bytes`,
    subject: blake3,
    arrays: arraysOf({ message: length, key: 32 }),
    run: (_, a, code) => pool.hash(a.message!, code.options({ key: a.key! })),
    expected: messageHashed,
    // Parts of it are read at different times (docs/threads.md).
    unspecified: /overwritten/,
  }));
}

const everywhere: readonly Call[] = [...subjects.flatMap(callsOf), ...streamCalls(), ...hmacCalls()];
/** One algorithm of each kernel: the others differ by what all builds share. */
const OF_JAVASCRIPT: readonly string[] = ["blake256", "blake512", "blake2b", "blake2s", "blake3"];
const withWebAssembly = [...hazmatCalls(), ...(await baoCalls()), ...nodeCalls(), ...poolCalls()];

/** The builds, each with the calls that it has. */
export const libraries: [name: string, library: Library, calls: readonly Call[]][] = [
  ["WebAssembly", { ...main, states, streams, hmacs } as Library, [...everywhere, ...withWebAssembly]],
  [
    "JavaScript",
    { ...javascript, states: javascriptStates, streams: javascriptStreams, hmacs: javascriptHmacs } as Library,
    everywhere.filter(({ subject }) => OF_JAVASCRIPT.includes(subject.name)),
  ],
];
