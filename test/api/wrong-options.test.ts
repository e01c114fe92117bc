// Every wrong option: the kind of error, what it says, that it reveals no secret, and that it leaves no trace.
import { toHex } from "blake-simd";
import { describe, expect, it } from "vitest";
import { runNode } from "../support/child.ts";
import { detach, type ErrorKind, expectError, notBytes } from "../support/errors.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { type CommonOptions, eachSubject, expected, keyOf, subjects } from "../support/subjects.ts";

/** Options, the error they cause, and what it says after the algorithm's name, in order. */
type Wrong = readonly [options: unknown, kind: ErrorKind, ...fragments: string[]];

const notNumbers: readonly (readonly [value: unknown, got: string])[] = [
  [null, "null"],
  ["5", "a string of length 1"],
  [5n, "a bigint"],
  [true, "a boolean"],
  [[], "an array"],
  [{}, "an object (Object)"],
  [new Number(5), "an object (Number)"],
  [Symbol("5"), "a symbol"],
  [() => 5, "a function"],
];

const outOfRange = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1.5, -1, 2 ** 53];

function wrongIntegers(option: string, min: number, max: number): Wrong[] {
  const wanted = `${option} must be an integer from ${min} to ${max}, got `;
  return [
    ...[...outOfRange, min - 1, max + 1].map(
      (value) => [{ [option]: value }, RangeError, `${wanted}${value}`] as const,
    ),
    ...notNumbers.map(
      ([value, got]) => [{ [option]: value }, TypeError, `${option} must be a number, got ${got}`] as const,
    ),
  ];
}

function wrongBytes(option: string, allowed: string, wrongLengths: readonly number[]): Wrong[] {
  const detached = detach(new ArrayBuffer(4));
  const isSecret = option === "key" || option === "context";
  const advice = isSecret
    ? `${option === "key" ? "" : "text or "}bytes, got null: leave it out for a hash without a ${option}`
    : "text, bytes or left out, got null";
  return [
    [{ [option]: null }, TypeError, `${option} must be ${advice}`],
    ...notBytes
      .slice(2)
      .map(([value, got]) => [{ [option]: value }, TypeError, `${option} must be `, `got ${got}`] as const),
    [{ [option]: detached }, TypeError, `${option} must be a`, "detached"],
    ...wrongLengths.flatMap((length): Wrong[] => {
      const got = `${option} must have ${allowed}, got ${length || "0: leave it out"}`;
      const text = "é".repeat(length / 2) + "x".repeat(length % 2);
      const values = [new Uint8Array(length), new DataView(new ArrayBuffer(length)), new ArrayBuffer(length)];
      return [...values, ...(option === "key" ? [] : [text])].map(
        (value) => [{ [option]: value }, RangeError, got] as const,
      );
    }),
  ];
}

/** A key that is not there, and one that is text, of a right or a wrong length. */
const wrongKeys: Wrong[] = [
  [{ key: undefined }, TypeError, "key must be bytes, got undefined: leave it out for a hash without a key"],
  ...["", "0123456789abcdef", "00".repeat(32)].map(
    (key) =>
      [{ key }, TypeError, "key must be an ArrayBuffer", `got a string of length ${key.length}: decode it`] as const,
  ),
];

function wrongOffsets(max: bigint): Wrong[] {
  const wanted = `nodeOffset must be an integer from 0 to ${max}, got `;
  const values = [-1, -1n, max + 1n, 2n ** 64n, 1.5, Number.NaN, Number.POSITIVE_INFINITY];
  return [
    ...values.map((nodeOffset) => [{ nodeOffset }, RangeError, `${wanted}${nodeOffset}`] as const),
    [{ nodeOffset: 2 ** 53 }, RangeError, "nodeOffset must be a", "2^53 - 1", `got number ${2 ** 53}`],
    ...notNumbers
      .filter(([value]) => typeof value !== "bigint")
      .map(
        ([nodeOffset, got]) =>
          [{ nodeOffset }, TypeError, `nodeOffset must be a number or a bigint, got ${got}`] as const,
      ),
  ];
}

const wrongLastNodes: Wrong[] = [
  [null, "null"],
  [0, "a number"],
  ["true", "a string of length 4"],
  [{}, "an object (Object)"],
].map(([lastNode, got]) => [{ lastNode }, TypeError, `lastNode must be a boolean, got ${got}`] as const);

/** What other packages call an option, and what it is called here. */
const SUGGESTED: Record<string, string> = {
  dkLen: "length",
  outputLength: "length",
  digestLength: "length",
  size: "length",
  Length: "length",
  personalization: "personal",
  person: "personal",
};

/** Option names that users of other packages may try, and slips of the pen. */
function unknown(own: readonly string[], known: readonly string[]): Wrong[] {
  const foreign = [...Object.keys(SUGGESTED), "keys", "seed", "toString", "__key", "0", "", 'a"b'];
  const inherited = Object.create({ nonce: 1 }) as object;
  return [
    ...[...foreign, ...own].flatMap((name): Wrong[] => {
      const right = SUGGESTED[name];
      const advice = right && known.includes(right) ? `did you mean "${right}"?` : `allowed are ${known.join(", ")}`;
      const wanted = [`unknown option ${JSON.stringify(name)}; ${advice}`] as const;
      return [
        [{ [name]: 1 }, TypeError, ...wanted],
        [{ [name]: undefined }, TypeError, ...wanted],
        [{ [known[0]!]: undefined, [name]: 1 }, TypeError, ...wanted],
      ];
    }),
    [inherited, TypeError, 'unknown option "nonce"; allowed are '],
  ];
}

// What has no option that could be read is refused too: a key in a Map would count for nothing.
const wrongKinds: Wrong[] = [
  [null, "null"],
  [32, "a number"],
  ["hex", "a string of length 3"],
  [true, "a boolean"],
  [7n, "a bigint"],
  [Symbol("o"), "a symbol"],
  [() => ({}), "a function"],
  [[], "an array"],
  [new Map([["key", keyOf(32)]]), "an object (Map)"],
  [new Set(["key"]), "an object (Set)"],
  [new Uint8Array(), "an object (Uint8Array)"],
  [new ArrayBuffer(32), "an object (ArrayBuffer)"],
  [new Date(0), "an object (Date)"],
  [new String(""), "an object (String)"],
  [Promise.resolve({ key: keyOf(32) }), "an object (Promise)"],
].map(([options, got]) => [options, TypeError, `options must be a plain object, got ${String(got)}`] as const);

const BLAKE2_OPTIONS = [
  "length",
  "key",
  "salt",
  "personal",
  "fanout",
  "maxDepth",
  "maxLeafLength",
  "nodeOffset",
  "nodeDepth",
  "innerHashLength",
  "lastNode",
];

function wrongBlake2(longest: number, saltLength: number, maxOffset: bigint): Wrong[] {
  return [
    ...wrongKinds,
    ...unknown(["context"], BLAKE2_OPTIONS),
    ...wrongIntegers("length", 1, longest),
    ...wrongKeys,
    ...wrongBytes("key", `1 to ${longest} bytes`, [0, longest + 1, 200]),
    ...wrongBytes("salt", `0 to ${saltLength} bytes`, [saltLength + 1, 64]),
    ...wrongBytes("personal", `0 to ${saltLength} bytes`, [saltLength + 1, 64]),
    ...wrongIntegers("fanout", 0, 255),
    ...wrongIntegers("maxDepth", 1, 255),
    ...wrongIntegers("maxLeafLength", 0, 2 ** 32 - 1),
    ...wrongOffsets(maxOffset),
    ...wrongIntegers("nodeDepth", 0, 255),
    ...wrongIntegers("innerHashLength", 0, longest),
    ...wrongLastNodes,
  ];
}

function wrongBlake2Parallel(longest: number): Wrong[] {
  return [
    ...wrongKinds,
    ...unknown(["context", "salt", "personal", "fanout", "lastNode"], ["length", "key"]),
    ...wrongIntegers("length", 1, longest),
    ...wrongKeys,
    ...wrongBytes("key", `1 to ${longest} bytes`, [0, longest + 1, 200]),
  ];
}

function wrongBlake2Extendable(word: number, longest: number): Wrong[] {
  return [
    ...wrongKinds,
    ...unknown(["context", "fanout", "nodeOffset", "lastNode"], ["length", "key", "salt", "personal"]),
    ...wrongIntegers("length", 1, longest),
    ...wrongKeys,
    ...wrongBytes("key", `1 to ${8 * word} bytes`, [0, 8 * word + 1, 200]),
    ...wrongBytes("salt", `0 to ${2 * word} bytes`, [2 * word + 1, 64]),
    ...wrongBytes("personal", `0 to ${2 * word} bytes`, [2 * word + 1, 64]),
  ];
}

function wrongBlake1(saltLength: number): Wrong[] {
  return [
    ...wrongKinds,
    ...unknown(["length", "key", "context", "personal"], ["salt"]),
    ...wrongBytes("salt", `${saltLength} bytes`, [0, 1, saltLength - 1, saltLength + 1, 48 - saltLength]),
  ];
}

const wrongBlake3: Wrong[] = [
  ...wrongKinds,
  ...unknown(["salt", "personal"], ["length", "key", "context"]),
  ...wrongIntegers("length", 0, Number.MAX_SAFE_INTEGER),
  ...wrongKeys,
  [{ context: undefined }, TypeError, "context must be text or bytes, got undefined: leave it out for a hash without"],
  [{ key: keyOf(32), context: undefined }, TypeError, "context must be"],
  [{ key: undefined, context: "c" }, TypeError, "key must be"],
  ...wrongBytes("key", "32 bytes", [0, 1, 31, 33, 64]),
  ...wrongBytes("context", "", []),
  [{ key: keyOf(32), context: "c" }, TypeError, "pass either key or context, not both"],
  [{ key: "", context: "" }, TypeError, "pass either key or context, not both"],
];

const table: Record<string, readonly Wrong[]> = {
  blake224: wrongBlake1(16),
  blake256: wrongBlake1(16),
  blake384: wrongBlake1(32),
  blake512: wrongBlake1(32),
  blake2b: wrongBlake2(64, 16, 2n ** 64n - 1n),
  blake2s: wrongBlake2(32, 8, 2n ** 48n - 1n),
  blake2bp: wrongBlake2Parallel(64),
  blake2sp: wrongBlake2Parallel(32),
  blake2xb: wrongBlake2Extendable(8, 2 ** 32 - 2),
  blake2xs: wrongBlake2Extendable(4, 2 ** 16 - 2),
  blake3: wrongBlake3,
};

const message = pattern(1500);

it("has rows for every algorithm", () => {
  expect(Object.keys(table)).toEqual(subjects.map(({ name }) => name));
});

eachSubject((subject) => {
  const { name, algorithm } = subject;
  const wrong = table[name]!;
  const secretly = subject.modes[1]!;
  const right: CommonOptions = { ...secretly, ...(subject.lengths.length > 0 && { length: 20 }) };
  const output = new Uint8Array(64).fill(7);
  const ways: Record<string, (options: never) => unknown> = {
    [name]: (options) => algorithm(message, options),
    [`${name}: `]: (options) => algorithm("long".repeat(30_000), options),
    [`${name}.hex`]: (options) => algorithm.hex(message, options),
    [`${name}.into`]: (options) => algorithm.into(message, output, options),
    [`${name}.many`]: (options) => algorithm.many([message], options),
    [`${name}.create`]: (options) => algorithm.create(options),
  };

  it.each(Object.entries(ways))("%s says what may be and what came", (call, way) => {
    for (const [options, kind, ...fragments] of wrong) {
      expectError(() => way(options as never), kind, `${call.replace(": ", "")}: `, ...fragments);
    }
  });

  it("leaves hashers, outputs and later one-shots as they were", () => {
    const hasher = algorithm.create(secretly).update(message);
    const [plain, keyed] = [expected(subject, message), expected(subject, message, secretly)];
    for (const [options] of wrong) {
      for (const way of Object.values(ways)) expect(() => way(options as never)).toThrow();
      expectBytes(algorithm(message), plain);
      expectBytes(hasher.digest(), keyed);
    }
    expectBytes(output, new Uint8Array(64).fill(7));
  });

  it("takes undefined for the absence of an option that is not secret", () => {
    const others = Object.keys(right).filter((option) => option !== "key" && option !== "context");
    const options = Object.fromEntries(others.map((option) => [option, undefined]));
    expect(algorithm("m", options as never)).toEqual(algorithm("m"));
    expect(algorithm("m", undefined)).toEqual(algorithm("m"));
    expect(algorithm("m", {})).toEqual(algorithm("m"));
    expect(
      algorithm
        .create(options as never)
        .update("m")
        .digest(),
    ).toEqual(algorithm("m"));
  });
});

// In a process of its own: Node 26 ends a worker thread that asks for that much.
describe("a length that no machine can allocate", () => {
  const length = 2 ** 53 - 1;

  it("is a RangeError that names it, and leaves all as it was", () => {
    const code = `
      import { blake3, toHex } from "blake-simd";
      const hasher = blake3.create({ length: ${length} });
      const acts = [
        () => blake3("", { length: ${length} }),
        () => blake3.many([""], { length: ${length} }),
        () => hasher.digest(),
        () => hasher.digestInto(new Uint8Array(9)),
      ];
      const errors = acts.map((act) => {
        try {
          act();
        } catch (error) {
          return error.name + ": " + error.message;
        }
      });
      const count = String(hasher.update("x").bytesHashed);
      console.log(JSON.stringify({ errors, count, digest: toHex(blake3("x")) }));
    `;
    const tooLong = expect.stringMatching(
      `^RangeError: blake3(| hasher.digest|.many): length must be .* got number ${length}$`,
    );
    const tooShort = `RangeError: blake3 hasher.digestInto: output must have at least ${length} bytes, got 9`;
    const digest = toHex(expected(subjects.find(({ name }) => name === "blake3")!, Buffer.from("x")));
    expect(runNode(code)).toEqual({ errors: [tooLong, tooLong, tooLong, tooShort], count: "1", digest });
  });
});
