// User code that runs when one of the user's values is read: it hashes with the same algorithm, throws, or overflows
// the stack. The call gives the digest of the bytes that are really there, or throws a clear error; whatever it does,
// all other objects stay right. What such code does to a caller's memory is in test/guard/changing-memory.test.ts.
import { readFileSync } from "node:fs";
import { blake2b, blake2s } from "@noble/hashes/blake2.js";
import { hmac } from "@noble/hashes/hmac.js";
import type { CHash } from "@noble/hashes/utils.js";
import type { Hasher, Xof } from "blake-simd";
import * as main from "blake-simd";
import { outboardOf } from "blake-simd/bao";
import type { SubtreeCollector, SubtreeGroupHasher, SubtreeHasher } from "blake-simd/hazmat";
import type { Hash } from "blake-simd/node";
import { Blake3Pool } from "blake-simd/parallel";
import * as states from "blake-simd/states";
import { updateUint32LE } from "blake-simd/typed";
import { describe, expect, it } from "vitest";
import { allCalls, isTried, library, withArrays } from "../support/calls/all.ts";
import { oracle, run, subjectOf, titleOf } from "../support/calls/call.ts";
import { Beside, Outcomes } from "../support/calls/outcomes.ts";
import { type Arrays, type Bytes, type Call, concat, HEAD, hexOf, NO_CODE } from "../support/calls/row.mjs";
import { hostileBytes, trueBytes } from "../support/hostile.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { expectedDigest } from "../support/oracle.ts";
import { eachSubject, keyOf, type Subject } from "../support/subjects.ts";

const message = pattern(300);
/** Longer arrays are read in the same places. */
const LONGEST = 3000;
/** What that code throws, and the engine for what poses as an array. */
const OWN = /^from a getter$|call stack|incompatible receiver|not a typed array/;

/** What the code of the user's does. */
function actOf({ algorithm, secretFrom }: Subject): (turn: number) => void {
  const secret = secretFrom(keyOf(64).map((byte) => byte ^ 85));
  const other = algorithm.create(secret);
  const overflow = (): unknown => [overflow()];
  return (turn) => {
    // A few overflows are enough: each fills the whole stack.
    if (turn % 48 === 5) overflow();
    if (turn % 3 === 2) throw new Error("from a getter");
    algorithm(message);
    algorithm.many(new Array(20).fill(message), secret);
    other.reset().update(message).digest();
  };
}

const short = withArrays(allCalls).filter(({ arrays }) =>
  Object.values(arrays).every(({ length }) => length <= LONGEST),
);

describe("code of the user's in an array of", () => {
  it.each(short.map((call) => [titleOf(call), call] as const))("%s", async (_, call) => {
    const act = actOf(subjectOf(call));
    let turn = 0;
    const outcomes = new Outcomes(call, library);
    await outcomes.of(() => run(call));
    let given = 0;
    for (const [array, bytes] of Object.entries(call.arrays)) {
      for (const { how, value } of hostileBytes(bytes, () => act(turn))) {
        turn++;
        const result = async () => {
          const all = await run(call, { ...call.arrays, [array]: value as Uint8Array });
          given++;
          return all;
        };
        const change = { name: how, after: () => bytes };
        await outcomes.of(result, () => ({ name: array, change, own: OWN }));
      }
    }
    expect(outcomes.problems, outcomes.problems.join("\n")).toEqual([]);
    expect(given).toBeGreaterThan(0);
  });
});

/** A method as a getter calls it, and the message that its object has after it; undefined if that was disposed of. */
type Other = readonly [
  call: (object: never, of: string) => unknown,
  after: (message: Bytes, arrays: Arrays) => Bytes | undefined,
];

const MORE = Buffer.from("more");
const same = (message: Bytes): Bytes => message;
const none = (): Bytes => new Uint8Array();
const gone = (): undefined => undefined;
const longer = (message: Bytes): Bytes => concat(message, MORE);

const ofHashers: Record<string, Other> = {
  update: [(each: Hasher) => each.update(MORE), longer],
  digest: [(each: Hasher) => each.digest(), same],
  clone: [(each: Hasher) => each.clone().update(MORE).digest("hex"), same],
  reset: [(each: Hasher) => each.reset(), none],
  "reset and update": [(each: Hasher) => each.reset().update(MORE), () => MORE],
  dispose: [(each: Hasher) => each.dispose(), gone],
};
const ofSubtrees: Record<string, Other> = {
  update: [(each: SubtreeHasher) => each.update(MORE), longer],
  chainingValue: [(each: SubtreeHasher) => each.chainingValue(), same],
  dispose: [(each: SubtreeHasher) => each.dispose(), gone],
};

/** The methods of each class that has arguments, by the names of its calls. */
const classes: readonly (readonly [calls: RegExp, others: Record<string, Other>])[] = [
  [
    / hasher\.|^save$/,
    {
      ...ofHashers,
      updateUint32LE: [
        (each: Hasher) => updateUint32LE(each, 7),
        (message) => concat(message, Uint8Array.of(7, 0, 0, 0)),
      ],
      digestInto: [(each: Hasher) => each.digestInto(new Uint8Array(64)), same],
      save: [
        (each: Hasher, of) => states.restore(main.algorithms[of as "blake3"], states.save(each)).update(MORE),
        same,
      ],
    },
  ],
  [/^hmac-/, ofHashers],
  [
    / reader\./,
    {
      read: [(each: Xof) => each.read(5), same],
      position: [(each: Xof) => Object.assign(each, { position: 3 }), same],
      dispose: [(each: Xof) => each.dispose(), gone],
    },
  ],
  [
    /^blake\w+\.(update|digest|copy)$/,
    {
      update: [(each: Hash) => each.update(MORE), longer],
      digest: [(each: Hash) => each.digest("hex"), gone],
      copy: [(each: Hash) => each.copy().update(MORE).digest(), same],
      destroy: [(each: Hash) => each.destroy(), (message, { key }) => (key ? undefined : message)],
    },
  ],
  [/^SubtreeHasher\./, ofSubtrees],
  [/^SubtreeGroupHasher\./, { ...ofSubtrees, groupValues: [(each: SubtreeGroupHasher) => each.groupValues(), same] }],
  [
    /^SubtreeCollector\./,
    {
      missing: [(each: SubtreeCollector) => [...each.missing], same],
      save: [(each: SubtreeCollector) => each.save(), same],
      dispose: [(each: SubtreeCollector) => each.dispose(), gone],
    },
  ],
];

/**
 * An argument that runs code wherever it is read: bytes, options, and in place of text and numbers what would become
 * one.
 */
function readBy(act: () => void, value: unknown): unknown[] {
  if (ArrayBuffer.isView(value)) {
    const bytes = value as Bytes;
    return (["length", "byteLength", "byteOffset", "buffer", "constructor"] as const).map((property) =>
      Object.defineProperty(new Uint8Array(bytes), property, {
        get() {
          act();
          return Reflect.get(Uint8Array.prototype, property, this);
        },
      }),
    );
  }
  if (typeof value !== "object") {
    const become = () => {
      act();
      return value;
    };
    return [{ toString: become, valueOf: become }, { [Symbol.toPrimitive]: become }];
  }
  // Of an object with getters, and of one in whose place a proxy is.
  const getters = Object.entries(value ?? {}).map(([name, own]) => ({
    [name]: {
      enumerable: true,
      get() {
        act();
        return own;
      },
    },
  }));
  const traps = ["get", "has", "ownKeys", "getOwnPropertyDescriptor", "getPrototypeOf"] as const;
  const handler = Object.fromEntries(
    traps.map((trap) => [
      trap,
      (...args: unknown[]) => {
        act();
        return (Reflect[trap] as (...all: unknown[]) => unknown)(...args);
      },
    ]),
  );
  return [Object.defineProperties({}, Object.assign({}, ...getters)), new Proxy({ ...value }, handler)];
}

const NOBLES: Record<string, CHash> = { blake2b, blake2s };
const isUpdate = ({ name }: Call): boolean => name.endsWith("update");

/** What an object that hashes has at first, and what it has to give for a message, by another implementation. */
function modelOf(call: Call): { first: Bytes; wanted(message: Bytes): Bytes } | undefined {
  const { message, output: _, data, ...options } = call.arrays;
  const { name, of } = call;
  const isHash = /^blake\w+\./.test(name);
  if (name.startsWith("hmac-")) {
    const noble = NOBLES[of];
    return (
      noble && {
        first: isUpdate(call) ? HEAD : concat(HEAD, message!),
        wanted: (all) => hmac(noble, options.key!, all),
      }
    );
  }
  if (!isHash && !/ hasher\.(?!update\w)|^save$/.test(name)) return undefined;
  const first = isHash || isUpdate(call) ? HEAD : concat(HEAD, message!);
  return { first, wanted: (all) => oracle.digest(of, all, options) };
}

interface Ended {
  /** What is right or wrong of the value and the object, or the error. */
  readonly outcome: string;
  /** The digest of the object after the call, if it can be asked for, or the one that it gave as its last. */
  readonly digest: string | undefined;
  readonly refused: boolean;
}

function end(call: Call, object: unknown, args: readonly unknown[]): Ended {
  const digestOf = (each: { copy?(): Hasher; digest(): Bytes }): Bytes => (each.copy?.() ?? each).digest();
  const attempt = <T>(act: () => T): { value?: T; error?: unknown } => {
    try {
      return { value: act() };
    } catch (error) {
      return { error };
    }
  };
  const { value, error } = attempt(() => call.act(object, ...args));
  const last = typeof value === "string" ? value : undefined;
  const digest = modelOf(call) && (attempt(() => hexOf(digestOf(object as never))).value ?? last);
  if (error) return { outcome: String(error), digest, refused: true };
  const seen = attempt(() => (call.look(value as never, object as never, call.arrays) as Bytes[]).map(trueBytes));
  const parts = seen.value?.map(hexOf);
  return { outcome: String(seen.error ?? parts), digest, refused: false };
}

/** The object itself, with a getter for its algorithm's name. */
function named(object: unknown, name: string, act: () => void): unknown {
  const get = () => {
    act();
    return name;
  };
  return Object.defineProperty(object, "algorithm", { get });
}

/** Times that an argument is read, more than any call does. */
const READS = 24;

describe("code of the user's that calls the object of the method that it is an argument of", () => {
  const methods = allCalls.flatMap((call) => {
    const others = classes.find(([calls]) => calls.test(call.name))?.[1];
    // Left out of the table: what is no text is refused in the engine's words.
    const own: Call = /^blake\w+\.digest$/.test(call.name) ? { ...call, args: () => ["hex"], look: ofHash } : call;
    return others && isTried(own) && own.args(own.arrays, NO_CODE).length > 0
      ? [[titleOf(own), own, others] as const]
      : [];
  });

  const met = new Set<string>();

  it.each(methods)("%s", (_, call, others) => {
    const beside = new Beside(library, call);
    const model = modelOf(call);
    const make = () => call.make(call.arrays, NO_CODE);
    const argsOf = (object: unknown) => call.args(call.arrays, NO_CODE, object);
    for (const [name, [other, after]] of Object.entries(others)) {
      for (const at of argsOf(make()).keys()) {
        for (let kind = 0, kinds = 1; kind < kinds; kind++) {
          for (let turn = 0, reads = READS; turn < reads; turn++) {
            const what = `${name}, called at read ${turn} of argument ${at} of kind ${kind}`;
            const object = make();
            beside.start();
            reads = 0;
            const act = () => {
              if (reads++ === turn) other(object as never, call.of);
            };
            const args = argsOf(object);
            const hostile = args[at] === object ? [named(object, call.of, act)] : readBy(act, args[at]);
            kinds = hostile.length;
            const got = end(call, object, args.with(at, hostile[kind]));
            if (reads <= turn) continue;
            met.add(call.name);
            // As if it had been called before.
            const twin = make();
            other(twin as never, call.of);
            const twins = argsOf(twin);
            const wanted = end(
              call,
              twin,
              twins.with(at, twins[at] === twin ? twin : readBy(() => {}, twins[at])[kind]),
            );
            if (got.outcome !== wanted.outcome) expect(got.outcome, what).toBe(wanted.outcome);
            const message = model && after(model.first, call.arrays);
            const all = message && (isUpdate(call) && !got.refused ? concat(message, args[at] as Bytes) : message);
            expect(got.digest, what).toBe(all && hexOf(model!.wanted(all)));
            if (!beside.areRight()) expect.fail(`${what}: another hasher is wrong`);
          }
        }
      }
    }
  });

  it("runs in the calls that read their arguments so", () => {
    const some = ["blake3 hasher.update", "blake3 hasher.digestInto", "hmac-blake2s.update", "blake2b512.update"];
    const more = ["blake2b512.digest", "blake2b512.copy", "SubtreeCollector.digest", "save"];
    expect([...some, ...more].filter((name) => !met.has(name))).toEqual([]);
  });

  eachSubject(({ algorithm, secretFrom }) => {
    it("the hasher whose clone asks for its constructor", () => {
      const hasher = algorithm.create(secretFrom(keyOf(64))).update(message);
      const Class = hasher.constructor;
      Object.defineProperty(hasher, "constructor", {
        get() {
          hasher.dispose();
          return Class;
        },
      });
      expect(() => hasher.clone()).toThrow(`${algorithm.algorithm} hasher.clone: the hasher was disposed`);
    });
  });
});

/** Of a hash that has been asked for text. */
const ofHash = (value: string): Bytes[] => [Buffer.from(value, "hex")];

it("a pool that the code closes hashes nothing more", async () => {
  const bytes = pattern(2 ** 20);
  const hashes: ((pool: Blake3Pool, close: () => void) => Promise<unknown>)[] = [
    (pool, close) => pool.hash(bytes, readBy(close, { key: keyOf(32) })[0] as object),
    (pool, close) => pool.hash(message, readBy(close, { key: keyOf(32) })[1] as object),
    (pool, close) => outboardOf(bytes, readBy(close, { pool, group: 1024 })[0] as { pool: Blake3Pool }),
  ];
  for (const hash of hashes) {
    const pool = new Blake3Pool({ threads: 1 });
    let closed: Promise<void> | undefined;
    const close = () => {
      closed = pool.close();
    };
    await expect(hash(pool, close)).rejects.toThrow("the pool is closed");
    await closed;
  }
  const pool = new Blake3Pool({ threads: 1 });
  let closed: Promise<void> | undefined;
  const source = Object.defineProperty({}, "path", {
    enumerable: true,
    get() {
      closed = pool.close();
      return "package.json";
    },
  });
  expectBytes(await pool.hash(source as { path: string }), expectedDigest("blake3", readFileSync("package.json")));
  await closed;
});
