// A key or a context that is there but undefined, as after a lookup that failed, and a key that is text: every call that
// takes options refuses them, and hashes nothing.
import { type Algorithm, blake2b, blake2s, blake3 } from "blake-simd";
import * as hazmat from "blake-simd/hazmat";
import { hkdf, hmac, nobleHash } from "blake-simd/hmac";
import { createHash, hashFile, hashThrough } from "blake-simd/node";
import { Blake3Pool } from "blake-simd/parallel";
import { DigestStream, digestOf, HashStream, VerifyStream } from "blake-simd/streams";
import { afterAll, describe, expect, it } from "vitest";
import { messageOf } from "../support/errors.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { expected, keyOf, subjects } from "../support/subjects.ts";

type Calls = Record<string, (options: never) => unknown>;

const message = pattern(3000);
const output = new Uint8Array(64).fill(7);
const pool = new Blake3Pool({ threads: 1 });
afterAll(() => pool.close());

const keyed = subjects.filter(({ keyLengths }) => keyLengths.length > 0);

function callsOf(algorithm: Algorithm<never>): Calls {
  const name = algorithm.algorithm;
  return {
    [name]: (options) => algorithm(message, options),
    [`${name}.hex`]: (options) => algorithm.hex(message, options),
    [`${name}.into`]: (options) => algorithm.into(message, output, options),
    [`${name}.many`]: (options) => algorithm.many([message, "b"], options),
    [`${name}.create`]: (options) => algorithm.create(options),
    [`digestOf ${name}`]: (options) => digestOf(algorithm, message, options),
    [`HashStream ${name}`]: (options) => new HashStream(algorithm, options),
    [`DigestStream ${name}`]: (options) => new DigestStream(algorithm, options),
    [`VerifyStream ${name}`]: (options) => new VerifyStream(algorithm, "00", options),
    [`hashFile ${name}`]: (options) => hashFile(algorithm, "package.json", options),
    [`hashThrough ${name}`]: (options) => hashThrough(algorithm, () => {}, options),
    [`nobleHash ${name}`]: (options) => nobleHash(algorithm, options),
    [`createHash ${name}`]: (options) => createHash(name, options),
  };
}

const [left, right] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)] as const;
const ofBlake3: Calls = {
  "pool of bytes": (options) => pool.hash(message, options),
  "pool of long bytes": (options) => pool.hash(pattern(3_000_000), options),
  "pool of a file": (options) => pool.hash({ path: "package.json" }, options),
  chainingValue: (options) => hazmat.chainingValue(message, options),
  SubtreeHasher: (options) => new hazmat.SubtreeHasher(options),
  SubtreeGroupHasher: (options) => new hazmat.SubtreeGroupHasher(withGroup(options)),
  SubtreeCollector: (options) => new hazmat.SubtreeCollector(5000, 1024, options),
  mergeSubtrees: (options) => hazmat.mergeSubtrees(left, right, options),
  rootOf: (options) => hazmat.rootOf(left, right, options),
  rootXof: (options) => hazmat.rootXof(left, right, options),
};

/** Adds an option that is required, and keeps the others where they are. */
function withGroup(options: object): never {
  return Object.create(options, { group: { value: 1024, enumerable: true } }) as never;
}

/** The ways in which an option can be there and undefined. */
const absent: Record<string, (option: string) => object> = {
  "an own property": (option) => ({ [option]: undefined }),
  "beside another option": (option) => ({ length: 32, [option]: undefined }),
  "an own getter": (option) => Object.defineProperty({}, option, { get: () => undefined, enumerable: true }),
  "an inherited property": (option) => Object.create({ [option]: undefined }) as object,
  "a getter of a class": (option) => {
    class Vault {}
    Object.defineProperty(Vault.prototype, option, { get: () => undefined });
    return new Vault();
  },
  "one that is not enumerable": (option) => Object.defineProperty({}, option, { value: undefined }),
};

/** Hazmat's modes have no length. */
const waysFor = (name: string) =>
  Object.entries(absent).filter(([way]) => way !== "beside another option" || !Object.hasOwn(ofBlake3, name));

const neighbours = keyed.map((subject) => {
  const options = subject.modes.at(-1)!;
  return { subject, options, hasher: subject.algorithm.create(options).update(message) };
});

/** Every other hasher is as it was, and the next calls with a key and without one are right. */
function checkOthers(): void {
  for (const { subject, options, hasher } of neighbours) {
    expectBytes(hasher.digest(), expected(subject, message, options));
    expectBytes(subject.algorithm(message), expected(subject, message));
  }
  expect(output).toEqual(new Uint8Array(64).fill(7));
}

const tables: [option: "key" | "context", calls: Calls][] = [
  ...keyed.map(({ algorithm }) => ["key", callsOf(algorithm)] as ["key", Calls]),
  ["key", ofBlake3],
  ["context", { ...callsOf(blake3), ...ofBlake3 }],
];

describe.each(tables)("an undefined %s", (option, calls) => {
  it.each(Object.entries(calls))("is an error of %s", async (name, call) => {
    for (const [way, make] of waysFor(name)) {
      const text = await messageOf(() => call(make(option) as never));
      expect(text, way).toContain(
        `${option} must be bytes, got undefined: leave it out for a hash without a ${option}`,
      );
    }
    checkOthers();
  });
});

/** Ways to hold a property that `for...in` does not list. */
const unlisted: Record<string, (option: string, value: unknown) => object> = {
  "a getter of a class": (option, value) => {
    class Vault {}
    Object.defineProperty(Vault.prototype, option, { get: () => value });
    return new Vault();
  },
  "a getter of a base class": (option, value) => {
    class Base {}
    Object.defineProperty(Base.prototype, option, { get: () => value });
    return new (class extends Base {})();
  },
  "an own getter of an instance": (option, value) =>
    Object.defineProperty(new (class Vault {})(), option, { get: () => value }),
};

describe("a getter that an algorithm has no option for", () => {
  const keyless = subjects.filter(({ keyLengths }) => keyLengths.length === 0);
  const wrong: [name: string, option: string, calls: Calls][] = [
    ...keyless.map(({ algorithm }) => [algorithm.algorithm, "key", callsOf(algorithm)] as [string, string, Calls]),
    ["blake2b", "context", callsOf(blake2b)],
    ["blake2s", "secretKey", callsOf(blake2s)],
    ["blake3", "Key", { ...callsOf(blake3), ...ofBlake3 }],
  ];

  it.each(wrong)("is an error of %s: %s", async (_, option, calls) => {
    for (const [name, call] of Object.entries(calls)) {
      for (const [way, make] of Object.entries(unlisted)) {
        const text = await messageOf(() => call(make(option, keyOf(32)) as never));
        expect(text, `${name}, ${way}`).toContain(`unknown option "${option}"`);
      }
    }
    checkOthers();
  });

  it.each(keyless)("or a key that is not enumerable is an error of $algorithm.algorithm", async ({ algorithm }) => {
    const options = Object.defineProperty({}, "key", { value: keyOf(32) });
    for (const call of Object.values(callsOf(algorithm))) {
      expect(await messageOf(() => call(options as never))).toContain('unknown option "key"');
    }
    checkOthers();
  });

  it("is no error if it is hidden, or a method, a private member or the getter of an option", () => {
    class Settings {
      #key = keyOf(32);
      get key() {
        return this.#key;
      }
      get length() {
        return 16;
      }
      toJSON() {
        return {};
      }
    }
    const subject = keyed.find(({ algorithm }) => algorithm.algorithm === "blake3")!;
    expectBytes(blake3(message, new Settings()), expected(subject, message, { key: keyOf(32), length: 16 }));
    const hidden = Object.create(unlisted["a getter of a class"]!("zone", 1), { zone: { value: undefined } }) as object;
    expectBytes(blake3(message, hidden), expected(subject, message));
  });
});

describe("a key that is text", () => {
  // Of a length that would be right, as bytes or as hexadecimal digits.
  const texts = ["0123456789abcdef0123456789abcdef", "00".repeat(32)];
  const advice = "decode it first, for example with fromHex";

  it.each(tables.filter(([option]) => option === "key").flatMap(([, calls]) => Object.entries(calls)))(
    "is an error of %s",
    async (_, call) => {
      for (const key of texts) {
        const text = await messageOf(() => call({ key } as never));
        expect(text).toContain(
          `key must be an ArrayBuffer, a SharedArrayBuffer or a view, got a string of length ${key.length}`,
        );
        expect(text).toContain(advice);
        expect(text).not.toContain(key);
      }
      checkOthers();
    },
  );

  type Loose = (...args: unknown[]) => unknown;
  it.each<[string, Loose]>([
    ["hmac: key", (key) => (hmac as Loose)(blake2s, key, "m")],
    ["hmac.create: key", (key) => (hmac.create as Loose)(blake2s, key)],
    ["hkdf: material", (key) => (hkdf as Loose)(blake2b, key)],
    ["hkdf.extract: material", (key) => (hkdf.extract as Loose)(blake2b, key)],
    ["hkdf.expand: key", (key) => (hkdf.expand as Loose)(blake2b, key)],
  ])("or is not there is an error of %s", async (name, call) => {
    for (const key of texts) {
      expect(await messageOf(() => call(key))).toContain(
        `${name} must be an ArrayBuffer, a SharedArrayBuffer or a view`,
      );
    }
    for (const key of [undefined, null]) expect(await messageOf(() => call(key))).toContain(`got ${key}`);
    checkOthers();
  });
});

it("salts, personalizations, contexts and HKDF's salt and info may be text, or undefined where they are not secret", () => {
  const text = new TextEncoder();
  const options = { salt: undefined, personal: "app", key: keyOf(32) };
  expect(blake2b("m", options)).toEqual(blake2b("m", { personal: text.encode("app"), key: keyOf(32) }));
  expect(blake3("m", { context: "c" })).toEqual(blake3("m", { context: text.encode("c") }));
  expect(hkdf(blake2s, keyOf(9), { salt: "s", info: undefined })).toEqual(
    hkdf(blake2s, keyOf(9), { salt: text.encode("s") }),
  );
});
