// What someone adds to Object.prototype is nobody's option.
import { type Algorithm, blake2b, blake3 } from "blake-simd";
import { outboardOf } from "blake-simd/bao";
import { chainingValue, leftSubtreeLength, rootOf } from "blake-simd/hazmat";
import { createHash, createHmac, hashFile } from "blake-simd/node";
import { Blake3Pool } from "blake-simd/parallel";
import { digestOf, verified } from "blake-simd/streams";
import { afterEach, describe, expect, it, vi } from "vitest";
import { pattern } from "../support/messages.ts";
import { eachSubject, expected } from "../support/subjects.ts";

const prototype = Object.prototype as unknown as Record<string, unknown>;
const OPTIONS = {
  key: new Uint8Array(32).fill(1),
  salt: new Uint8Array(16).fill(2),
  length: 20,
  outputLength: 20,
  encoding: "hex",
};

afterEach(() => {
  for (const option of Object.keys(OPTIONS)) delete prototype[option];
});

/** Acts while Object.prototype has some options. */
function polluted<T>(act: () => T): T {
  Object.assign(prototype, OPTIONS);
  try {
    return act();
  } finally {
    for (const option of Object.keys(OPTIONS)) delete prototype[option];
  }
}

const message = pattern(100);

eachSubject((subject) => {
  const wanted = expected(subject, message);

  it("has the plain digest, also in the first call of a program, and later", async () => {
    vi.resetModules();
    const { algorithms: fresh } = (await import("blake-simd")) as { algorithms: Record<string, Algorithm> };
    const algorithm = fresh[subject.name] as Algorithm;
    const calls: (() => unknown)[] = [
      () => algorithm(message),
      () => algorithm.into(message, new Uint8Array(wanted.length)),
      () => algorithm.many([message])[0],
      () => algorithm.create().update(message).digest(),
    ];
    for (const call of calls) {
      expect(polluted(call)).toEqual(wanted);
      expect(call()).toEqual(wanted);
    }
  });

  it("refuses options that would inherit some", () => {
    const { algorithm } = subject;
    for (const options of [{}, { length: wanted.length }]) {
      expect(() => polluted(() => algorithm(message, options))).toThrow(TypeError);
    }
    expect(algorithm(message)).toEqual(wanted);
  });
});

it("names the option", () => {
  const act = () => polluted(() => blake2b(message, { personal: "app" }));
  expect(act).toThrow('blake2b: Object.prototype must not have options, got "key"');
});

describe("subtrees", () => {
  it("are of the plain mode", () => {
    const whole = pattern(5000);
    const left = leftSubtreeLength(whole.length);
    const root = () =>
      rootOf(chainingValue(whole.subarray(0, left)), chainingValue(whole.subarray(left), { offset: left }));
    const wanted = root();
    const parts = [
      chainingValue(whole.subarray(0, left)),
      chainingValue(whole.subarray(left), { offset: left }),
    ] as const;
    expect(polluted(() => chainingValue(whole.subarray(0, left)))).toEqual(parts[0]);
    expect(polluted(() => rootOf(...parts))).toEqual(wanted);
  });
});

describe("hashes of blake-simd/node", () => {
  const calls = {
    createHash: (options?: { highWaterMark: number }) => createHash("blake3", options).update(message).digest(),
    createHmac: (options?: { highWaterMark: number }) =>
      createHmac("blake3", "6b6579", options).update(message).digest(),
  };

  it.each(Object.entries(calls))("%s has no options that were not given", (_, call) => {
    const wanted = call();
    expect(polluted(call)).toEqual(wanted);
    expect(() => polluted(() => call({ highWaterMark: 9 }))).toThrow("Object.prototype must not have options");
    expect(call()).toEqual(wanted);
  });
});

describe("an option that is not the algorithm's", () => {
  const failed = () => new Response("no", { status: 500 });
  const added = { requireOk: false, onProgress: () => {}, signal: AbortSignal.abort() };
  type Added = keyof typeof added;
  const calls: [string, (options: object) => unknown, Added[]][] = [
    ["digestOf", (options) => digestOf(blake3, failed(), options), ["requireOk", "onProgress", "signal"]],
    ["verified", (options) => verified(failed(), blake3, blake3("no"), options), ["requireOk"]],
    ["hashFile", (options) => hashFile(blake3, "package.json", options), ["onProgress", "signal"]],
  ];

  it.each(calls)("%s inherits none", async (_, call, options) => {
    for (const option of options) {
      for (const enumerable of [true, false]) {
        Object.defineProperty(prototype, option, { value: added[option], enumerable, configurable: true });
        const result = (async () => call({}))();
        delete prototype[option];
        await expect(result).rejects.toThrow(`Object.prototype must not have options, got "${option}"`);
      }
    }
  });
});

describe("outboardOf", () => {
  it("has no options that were not given", async () => {
    const wanted = await outboardOf(message);
    expect((await polluted(() => outboardOf(message))).root).toEqual(wanted.root);
  });

  it("has those that its options inherit from an object of the caller's", async () => {
    const pool = new Blake3Pool({ threads: 0 });
    const content = pattern(3_000_000);
    for (const given of [{ group: 4096 }, { group: 4096, pool }]) {
      for (const source of [content, message]) {
        expect((await outboardOf(source, Object.create(given))).group).toBe(4096);
      }
    }
    await pool.close();
  });
});
