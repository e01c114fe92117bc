// A key or a context that is there but undefined, as after a lookup that failed, a key that is text, and one that the
// algorithm has no option for: every call that takes options refuses them, and hashes nothing. So it does with options
// that anybody has added to Object.prototype.
import { blake2b, blake2s, blake3 } from "blake-simd";
import { outboardOf } from "blake-simd/bao";
import { hkdf, hmac } from "blake-simd/hmac";
import { Blake3Pool } from "blake-simd/parallel";
import { describe, expect, it, vi } from "vitest";
import { eachCall } from "../support/calls/all.ts";
import { rightArguments, titleOf, under } from "../support/calls/call.ts";
import { type Call, NO_CODE } from "../support/calls/row.mjs";
import { messageOf } from "../support/errors.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { eachSubject, expected, keyOf, subjects } from "../support/subjects.ts";

type Loose = (...args: unknown[]) => unknown;
const message = pattern(3000);
const withOptions = eachCall.filter(({ secrets }) => secrets);
/** A call's own options; some need one. */
const ownOptions = (call: Call) => rightArguments(call)[call.optionsAt!] as object;
const rowsFor = (secret: string) =>
  withOptions.filter(({ secrets }) => secrets!.includes(secret)).map((each) => [titleOf(each), each] as const);

/** Options of the call's own, if it needs some, and others in a form. */
const beside = (each: Call, options: object): object => {
  const own = Object.entries(ownOptions(each)).map(([name, value]) => [name, { value }]);
  return own.length === 0 ? options : Object.create(options, Object.fromEntries(own));
};

/** The ways in which an option can be there. */
const ways: Record<string, (option: string, value?: unknown) => object> = {
  "an own property": (option, value) => ({ [option]: value }),
  "an own getter": (option, value) => Object.defineProperty({}, option, { get: () => value, enumerable: true }),
  "an inherited property": (option, value) => Object.create({ [option]: value }) as object,
  "a getter of a class": (option, value) => {
    class Vault {}
    Object.defineProperty(Vault.prototype, option, { get: () => value });
    return new (class extends Vault {})();
  },
  "an own getter of an instance": (option, value) =>
    Object.defineProperty(new (class Vault {})(), option, { get: () => value }),
  "one that is not enumerable": (option, value) => Object.defineProperty({}, option, { value }),
};

const neighbours = subjects.map((subject) => {
  const options = subject.modes[1]!;
  const hasher = subject.algorithm.create(options).update(message);
  return {
    algorithm: subject.algorithm,
    hasher,
    keyed: expected(subject, message, options),
    plain: expected(subject, message),
  };
});

/** Every other hasher is as it was, and the next calls with a key and without one are right. */
function checkOthers(): void {
  for (const { algorithm, hasher, keyed, plain } of neighbours) {
    expectBytes(hasher.digest(), keyed);
    expectBytes(algorithm(message), plain);
  }
}

describe.each(["key", "context"])("an undefined %s", (option) => {
  it.each(rowsFor(option))("is an error of %s", async (_, each) => {
    for (const [way, make] of Object.entries(ways)) {
      const text = await messageOf(() => under(each, beside(each, make(option))));
      const kinds = option === "key" ? "bytes" : "text or bytes";
      const must = `${option} must be ${kinds}, got undefined: leave it out for a hash without a ${option}`;
      expect(text, way).toContain(must);
    }
    checkOthers();
  });
});

describe("an option that is unknown", () => {
  it.each(withOptions.map((each) => [titleOf(each), each] as const))("is an error of %s", async (_, each) => {
    const wrong = each.secrets!.length === 0 ? "key" : each.secrets!.includes("context") ? "Key" : "context";
    for (const [way, make] of Object.entries(ways)) {
      // What cannot be enumerated may be a method, or private; a key is none.
      if (/class|instance/.test(way) || (way === "one that is not enumerable" && wrong !== "key")) continue;
      const text = await messageOf(() => under(each, beside(each, make(wrong, keyOf(32)))));
      expect(text, way).toContain(`unknown option "${wrong}"`);
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
    const subject = subjects.at(-1)!;
    expectBytes(blake3(message, new Settings()), expected(subject, message, { key: keyOf(32), length: 16 }));
    const hidden = Object.create(ways["a getter of a class"]!("zone", 1), { zone: { value: undefined } }) as object;
    expectBytes(blake3(message, hidden), expected(subject, message));
  });
});

describe("a key that is text", () => {
  // Of a length that would be right, as bytes or as hexadecimal digits.
  const texts = ["0123456789abcdef0123456789abcdef", "00".repeat(32)];
  const kinds = "must be an ArrayBuffer, a SharedArrayBuffer or a view";

  it.each(rowsFor("key"))("is an error of %s", async (_, each) => {
    for (const key of texts) {
      const text = await messageOf(() => under(each, beside(each, { key })));
      expect(text).toContain(`key ${kinds}, got a string of length ${key.length}`);
      expect(text).toContain("decode it first, for example with fromHex");
      expect(text).not.toContain(key);
    }
    checkOthers();
  });

  it.each<[string, (key: unknown) => unknown]>([
    ["hmac: key", (key) => (hmac as Loose)(blake2s, key, "m")],
    ["hmac.create: key", (key) => (hmac.create as Loose)(blake2s, key)],
    ["hkdf: material", (key) => (hkdf as Loose)(blake2b, key)],
    ["hkdf.extract: material", (key) => (hkdf.extract as Loose)(blake2b, key)],
    ["hkdf.expand: key", (key) => (hkdf.expand as Loose)(blake2b, key)],
  ])("or is not there is an error of %s", async (name, call) => {
    for (const key of texts) expect(await messageOf(() => call(key))).toContain(`${name} ${kinds}`);
    for (const key of [undefined, null]) expect(await messageOf(() => call(key))).toContain(`got ${key}`);
  });
});

it("salts, personalizations, contexts and HKDF's salt and info may be text, or undefined where they are not secret", () => {
  const text = new TextEncoder();
  const options = { salt: undefined, personal: "app", key: keyOf(32) };
  expect(blake2b("m", options)).toEqual(blake2b("m", { personal: text.encode("app"), key: keyOf(32) }));
  expect(blake3("m", { context: "c" })).toEqual(blake3("m", { context: text.encode("c") }));
  const salted = hkdf(blake2s, keyOf(9), { salt: text.encode("s") });
  expect(hkdf(blake2s, keyOf(9), { salt: "s", info: undefined })).toEqual(salted);
});

describe("Object.prototype", () => {
  const prototype = Object.prototype as unknown as Record<string, unknown>;
  const OPTIONS = { key: keyOf(32), salt: keyOf(16), length: 20, outputLength: 20, encoding: "hex" };

  /** Acts while Object.prototype has some options. */
  function polluted<T>(act: () => T, options: object = OPTIONS): T {
    Object.assign(prototype, options);
    try {
      return act();
    } finally {
      for (const option of Object.keys(options)) delete prototype[option];
    }
  }

  it.each(withOptions.map((each) => [titleOf(each), each] as const))("gives %s no options", async (_, each) => {
    // Those that need an option have no call without one.
    if (Object.keys(ownOptions(each)).length > 0) return;
    const option = each.secrets![0] ?? "salt";
    const act = (given: unknown[]) => each.act(each.make(each.arrays, NO_CODE), ...given);
    const right = rightArguments(each);
    const error = await messageOf(() => polluted(() => act(right), { [option]: keyOf(32) }));
    expect(error).toContain(`Object.prototype must not have options, got "${option}"`);
    const plain = right.slice(0, each.optionsAt);
    const results = [polluted(() => act(plain)), act(plain)];
    const [there, here] = await Promise.all(
      results.map(async (result) => [await result].flat().filter(ArrayBuffer.isView)),
    );
    expect(there).toEqual(here);
  });

  it.each(withOptions.map((each) => [titleOf(each), each] as const))("may have a method: %s", async (_, each) => {
    const error = await messageOf(() =>
      polluted(() => each.act(each.make(each.arrays, NO_CODE), ...rightArguments(each)), { each() {} }),
    );
    expect(error).toBe("no error");
  });

  eachSubject((subject) => {
    it("gives the first call of a program, and later ones, none", async () => {
      vi.resetModules();
      const { algorithms } = (await import("blake-simd")) as unknown as { algorithms: Record<string, typeof blake3> };
      const wanted = expected(subject, message);
      const call = () => algorithms[subject.name]!(message);
      expectBytes(polluted(call), wanted);
      expectBytes(call(), wanted);
    });
  });

  it("is not where outboardOf has its options from; another object may be", async () => {
    const wanted = await outboardOf(message);
    expect((await polluted(() => outboardOf(message))).root).toEqual(wanted.root);
    const pool = new Blake3Pool({ threads: 0 });
    for (const given of [{ group: 4096 }, { group: 4096, pool }]) {
      for (const source of [pattern(3_000_000), message]) {
        expect((await outboardOf(source, Object.create(given))).group).toBe(4096);
      }
    }
    await pool.close();
  });
});
