// The parameters of BLAKE2 in a saved state: each value that docs/states.md excludes is refused by the name of its field,
// although the rest of the state is right, and the smallest and greatest that it allows are accepted.

import { type Algorithm, algorithms } from "blake-simd";
import { restore, save } from "blake-simd/states";
import { describe, expect, it } from "vitest";
import { expectError } from "../support/errors.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { build, parse, savedToday, withState } from "../support/saved-state.ts";
import { keyOf } from "../support/subjects.ts";

const all = algorithms as unknown as Record<string, Algorithm<{ key?: Uint8Array }>>;
const KEY_LENGTH = 5;

/** Values that each of the bytes of the parameters from `from` to `to` cannot have, and what the error says. */
type Refused = readonly [from: number, to: number, values: readonly number[], must: string];

function rulesOfKeys(word: number): Refused[] {
  return [
    [1, 2, [8 * word + 1, 255], `key length from 0 to ${8 * word}`],
    [8 * word + KEY_LENGTH, 16 * word, [1], "zeros as padding of the key"],
    [16 * word + 1, 17 * word, [1], "zeros as padding of the parameters"],
  ];
}

/** Of the node depth, which the inner hash length follows. */
const nodeDepthAt = (word: number) => (word === 8 ? 16 : 14);

function rulesOfSequences(word: number): Refused[] {
  const inner = nodeDepthAt(word) + 1;
  return [
    [0, 1, [0, 8 * word + 1], `digest length from 1 to ${8 * word}`],
    [0, 1, [8 * word - 1], `digest length ${8 * word - 1}, got ${8 * word}`],
    [3, 4, [0], "maxDepth from 1 to 255"],
    [inner, inner + 1, [8 * word + 1, 255], `innerHashLength from 0 to ${8 * word}`],
    [inner + 1, 4 * word, [1], "zeros as reserved parameters"],
    [16 * word, 16 * word + 1, [2, 4, 255], "lastNode from 0 to 1"],
    ...rulesOfKeys(word),
  ];
}

function rulesOfTrees(word: number): Refused[] {
  const depth = nodeDepthAt(word);
  const leaves = word === 8 ? 4 : 8;
  return [
    [0, 1, [0, 8 * word + 1], `digest length from 1 to ${8 * word}`],
    [0, 1, [8 * word - 1], `digest length ${8 * word - 1}, got ${8 * word}`],
    [2, 3, [0, leaves - 1, leaves + 1], `fanout ${leaves}`],
    [3, 4, [0, 1, 3], "maxDepth 2"],
    [4, depth + 1, [1], "zeros as leaf length, node offset and node depth"],
    [depth + 1, depth + 2, [0, 8 * word - 1, 8 * word + 1], `innerHashLength ${8 * word}`],
    [depth + 2, 8 * word, [1], "zeros as reserved parameters, salt and personal"],
    [16 * word, 16 * word + 1, [0, 1, 3, 4], "mode 2"],
    ...rulesOfKeys(word),
  ];
}

function rulesOfOutputs(word: number): Refused[] {
  const most = word === 8 ? 2 ** 32 - 1 : 2 ** 16 - 1;
  const end = 12 + word / 2;
  return [
    [0, 1, [0, 8 * word - 1, 8 * word + 1], `longest digest ${8 * word}`],
    [2, 3, [0, 2], "fanout 1"],
    [3, 4, [0, 2], "maxDepth 1"],
    [4, 12, [1], "zeros as leaf length and node offset"],
    [12, 13, [0], `output length from 1 to ${most}, got 0`],
    [12, 13, [99], "digest length 99, got 100"],
    [end, 4 * word, [1], "zeros as other parameters"],
    [16 * word, 16 * word + 1, [0, 1, 5], "mode 4"],
    ...rulesOfKeys(word),
  ];
}

/** A state whose chaining value could be anything, with one byte of its parameters changed. */
function changed(saved: Uint8Array, word: number, at: number, value: number): Uint8Array {
  const fields = parse(saved);
  const parameters = new Uint8Array(17 * word);
  parameters.set(fields.parameters);
  parameters[at] = value;
  const length = parameters.findLastIndex((byte) => byte !== 0) + 1;
  return build({ ...fields, parameters: parameters.slice(0, length) });
}

const rulesOf: Record<string, Refused[]> = {
  blake2b: rulesOfSequences(8),
  blake2s: rulesOfSequences(4),
  blake2bp: rulesOfTrees(8),
  blake2sp: rulesOfTrees(4),
  blake2xb: rulesOfOutputs(8),
  blake2xs: rulesOfOutputs(4),
};

describe.each(Object.entries(rulesOf))("%s", (name, rules) => {
  const algorithm = all[name]!;
  const word = /b/.test(name.slice(6)) ? 8 : 4;
  const options = { key: keyOf(KEY_LENGTH), ...(name.includes("x") && { length: 100 }) };
  const saved = save(algorithm.create(options).update(pattern(5000)));

  it.each(rules)("bytes %i to %i of the parameters cannot be %j", (from, to, values, must) => {
    for (let at = from; at < to; at++) {
      for (const value of values) {
        const state = changed(saved, word, at, value);
        expectError(() => restore(algorithm, state), RangeError, `restore: state must have ${must}`);
      }
    }
    expectBytes(save(restore(algorithm, saved)), saved);
  });

  it("refuses a digest length that the parameters do not have", () => {
    const fields = parse(saved);
    for (const digestLength of [fields.digestLength - 1n, fields.digestLength + 1n, fields.digestLength + 2n ** 32n]) {
      const must = `restore: state must have digest length ${fields.digestLength}, got ${digestLength}`;
      expectError(() => restore(algorithm, build({ ...fields, digestLength })), RangeError, must);
    }
  });
});

describe.each([
  ["blake2b", 8],
  ["blake2s", 4],
] as const)("%s", (name, word) => {
  const algorithm = all[name]!;
  const saved = save(algorithm.create({ key: keyOf(KEY_LENGTH) }).update(pattern(5000)));

  it.each([
    ["maxDepth", 3, [1, 255]],
    ["innerHashLength", nodeDepthAt(word) + 1, [0, 8 * word]],
  ] as const)("accepts the smallest and the greatest %s", (_field, at, values) => {
    for (const value of values) {
      const state = changed(saved, word, at, value);
      expectBytes(save(restore(algorithm, state)), savedToday(state));
    }
  });
});

describe.each([
  ["blake224", 4],
  ["blake256", 4],
  ["blake384", 8],
  ["blake512", 8],
] as const)("%s", (name, word) => {
  it("refuses another last bit of the padding, and bytes after it", () => {
    const saved = save(all[name]!.create().update(pattern(5000)));
    for (const value of [2, 3, 255]) {
      const state = changed(saved, word, 12 * word, value);
      expectError(() => restore(all[name]!, state), RangeError, "its padding's last bit, got other bytes");
    }
    for (let at = 12 * word + 1; at < 13 * word; at++) {
      const state = changed(saved, word, at, 1);
      expectError(() => restore(all[name]!, state), RangeError, "its padding's last bit, got other bytes");
    }
  });
});

it("blake3 refuses bytes after the mode", () => {
  const saved = save(algorithms.blake3.create({ key: keyOf(32) }).update(pattern(5000)));
  for (const at of [33, 34, 35]) {
    const state = changed(saved, 8, at, 1);
    const wanted = "restore: state must have zeros as padding of the parameters, got other bytes";
    expectError(() => restore(algorithms.blake3, state), RangeError, wanted);
  }
});

it.each([
  ["blake224", 52],
  ["blake256", 52],
  ["blake384", 104],
  ["blake512", 104],
  ["blake2b", 136],
  ["blake2bp", 136],
  ["blake2xb", 136],
  ["blake2s", 68],
  ["blake2sp", 68],
  ["blake2xs", 68],
  ["blake3", 36],
] as const)("%s has at most %i bytes of parameters", (name, most) => {
  const fields = parse(save(all[name]!.create().update(pattern(5000))));
  const withLength = (length: number) => build({ ...fields, parameters: new Uint8Array(length).fill(1) });
  const ofFrame = "parameter bytes from 0 to";
  expectError(() => restore(all[name]!, withLength(most + 1)), RangeError, `${ofFrame} ${most}, got ${most + 1}`);
  const message = expectError(() => restore(all[name]!, withLength(most)), RangeError, "restore: state must have");
  expect(message).not.toContain(ofFrame);
});

const trees = [
  ["blake2bp", 8],
  ["blake2sp", 4],
] as const;

describe.each(trees)("%s", (name, word) => {
  const algorithm = all[name]!;
  const leaves = word === 8 ? 4 : 8;
  const stripe = 16 * word * leaves;
  // A stripe waits until the last leaf has a byte in the next one.
  const waiting = 2 * stripe - 16 * word;
  const message = pattern(4 * stripe);

  it("accepts the state of a message of every third length of some stripes", () => {
    for (const [i, options] of [{}, {}, { key: keyOf(KEY_LENGTH) }].entries()) {
      const hasher = algorithm.create(options).update(pattern(i));
      for (let length = i; length < 3 * stripe; length += 3) {
        const state = save(hasher);
        expectBytes(save(restore(algorithm, state)), state, `${length} bytes`);
        hasher.update(message.subarray(length, length + 3));
      }
    }
  });

  it("refuses another chaining value of the root, however many stripes are compressed", () => {
    for (const length of [1, waiting + 1, 5000]) {
      const saved = save(algorithm.create().update(pattern(length)));
      for (const at of [32, 32 + 8 * word - 1]) {
        const state = withState(saved, (_, bytes) => {
          bytes[at]! ^= 1;
        });
        expectError(() => restore(algorithm, state), RangeError, "the first chaining values, got other bytes");
      }
    }
  });

  it("refuses more buffered bytes than two stripes", () => {
    const state = withState(save(algorithm.create().update(pattern(5000))), (view) => {
      view.setUint32(4, 2 * stripe + 1, true);
    });
    const wanted = `buffered length from 0 to ${2 * stripe}, got ${2 * stripe + 1}`;
    expectError(() => restore(algorithm, state), RangeError, wanted);
  });

  it("refuses other chaining values of the leaves until the first stripe is compressed", () => {
    for (const [length, isFirst] of [
      [1, true],
      [waiting, true],
      [waiting + 1, false],
    ] as const) {
      for (const at of [32 + 8 * word, 32 + 8 * word * (1 + leaves) - 1]) {
        const state = withState(save(algorithm.create().update(pattern(length))), (_, bytes) => {
          bytes[at]! ^= 1;
        });
        if (!isFirst) expectBytes(save(restore(algorithm, state)), savedToday(state));
        else expectError(() => restore(algorithm, state), RangeError, "the first chaining values, got other bytes");
      }
    }
  });
});

it.each([
  ["blake2b", 128],
  ["blake2bp", 128],
  ["blake2xb", 128],
  ["blake2s", 64],
  ["blake2sp", 64],
  ["blake2xs", 64],
] as const)("%s counts fewer than 2^%i bytes, those of its key's block included", (name, bits) => {
  const algorithm = all[name]!;
  const saved = save(algorithm.create({ key: keyOf(KEY_LENGTH) }).update(pattern(5000)));
  const most = 2n ** BigInt(bits) - 1n;
  const withTotal = (total: bigint) =>
    withState(saved, (state) => {
      const prefix = BigInt(state.getUint32(8, true));
      state.setBigUint64(16, (total - prefix) & (2n ** 64n - 1n), true);
      state.setBigUint64(24, (total - prefix) >> 64n, true);
      state.setUint32(4, 0, true);
    });
  const wanted = `byte count, its key's block included, from 0 to ${most}, got ${most + 1n}`;
  expectError(() => restore(algorithm, withTotal(most + 1n)), RangeError, wanted);
  // The empty buffer is wrong then: it is looked at after the count.
  expectError(() => restore(algorithm, withTotal(most)), RangeError, "buffered length", "got 0");
});

it.each([
  ["blake2xb", 8],
  ["blake2xs", 4],
] as const)("%s refuses another copy of the parameters at the state's end", (name, word) => {
  const saved = save(all[name]!.create().update(pattern(5000)));
  const end = parse(saved).state.length;
  for (const at of [32 + 24 * word, end - 1]) {
    const state = withState(saved, (_, bytes) => {
      bytes[at]! ^= 1;
    });
    expectError(() => restore(all[name]!, state), RangeError, "its parameters at its end, got other bytes");
  }
});
