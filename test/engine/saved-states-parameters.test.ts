// Each value of a saved state that docs/states.md excludes is refused by the name of its field, although the rest of the state
// is right, and the smallest and greatest that it allows are accepted.
import { type Algorithm, algorithms } from "blake-simd";
import { restore, save } from "blake-simd/states";
import { describe, expect, it } from "vitest";
import { expectError } from "../support/errors.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { build, parse, savedToday, seal, withParameter, withState } from "../support/saved-state.ts";
import { keyOf } from "../support/subjects.ts";

const all = algorithms as unknown as Record<string, Algorithm<object>>;
const KEY_LENGTH = 5;

const expectRefused = (name: string, state: Uint8Array, must: string, got = "") =>
  expectError(() => restore(all[name]!, state), RangeError, `restore: state must have ${must}`, got);

function expectAccepted(name: string, state: Uint8Array, what?: string): void {
  expectBytes(save(restore(all[name]!, state)), savedToday(state), what);
}

const saved = (name: string, length: number, options = {}) => save(all[name]!.create(options).update(pattern(length)));

/** A copy with a byte changed, as counted from the start of the frame, of its parameters or of the kernel's state. */
type Part = "frame" | "parameters" | "state";
function changed(state: Uint8Array, part: Part, at: number, ...bytes: number[]): Uint8Array {
  const copy = state.slice();
  const start = part === "frame" ? 0 : part === "parameters" ? 32 : 32 + parse(state).parameters.length;
  copy.set(bytes, start + at);
  return seal(copy);
}

/** A copy with another chaining value or another end. */
const flippedState = (state: Uint8Array, at: number) =>
  withState(state, (_, bytes) => {
    bytes.set([bytes.at(at)! ^ 1], at < 0 ? bytes.length + at : at);
  });

/** Values that each of the bytes of the parameters from `from` to `to` cannot have, and what the error says. */
type Refused = readonly [from: number, to: number, values: readonly number[], must: string];

/** Of the node depth, which the inner hash length follows. */
const nodeDepthAt = (word: number) => (word === 8 ? 16 : 14);
const wordOf = (name: string) => (/^blake(2x?b|384|512)/.test(name) ? 8 : 4);

function rulesOf(name: string): Refused[] {
  const word = wordOf(name);
  const [longest, depth, leaves, mode] = [8 * word, nodeDepthAt(word), word === 8 ? 4 : 8, 16 * word];
  const padding: Refused = [mode + 1, mode + word, [1], "zeros as padding of the parameters"];
  const keys: Refused[] = [
    [1, 2, [longest + 1, 255], `key length from 0 to ${longest}`],
    [longest + KEY_LENGTH, mode, [1], "zeros as padding of the key"],
    padding,
  ];
  const digests: Refused[] = [
    [0, 1, [0, longest + 1], `digest length from 1 to ${longest}`],
    [0, 1, [longest - 1], `digest length ${longest - 1}, got ${longest}`],
  ];
  const most = word === 8 ? 2 ** 32 - 1 : 2 ** 16 - 1;
  if (name === "blake3") return [[33, 36, [1], "zeros as padding of the parameters, got other bytes"]];
  if (/\d{3}$/.test(name)) {
    const must = "its padding's last bit, got other bytes";
    return [
      [12 * word, 12 * word + 1, [2, 3, 255], must],
      [12 * word + 1, 13 * word, [1], must],
    ];
  }
  if (name.endsWith("p")) {
    return [
      ...digests,
      [2, 3, [0, leaves - 1, leaves + 1], `fanout ${leaves}`],
      [3, 4, [0, 1, 3], "maxDepth 2"],
      [4, depth + 1, [1], "zeros as leaf length, node offset and node depth"],
      [depth + 1, depth + 2, [0, longest - 1, longest + 1], `innerHashLength ${longest}`],
      [depth + 2, longest, [1], "zeros as reserved parameters, salt and personal"],
      [mode, mode + 1, [0, 1, 3, 4], "mode 2"],
      ...keys,
    ];
  }
  if (name.includes("x")) {
    return [
      [0, 1, [0, longest - 1, longest + 1], `longest digest ${longest}`],
      [2, 3, [0, 2], "fanout 1"],
      [3, 4, [0, 2], "maxDepth 1"],
      [4, 12, [1], "zeros as leaf length and node offset"],
      [12, 13, [0], `output length from 1 to ${most}, got 0`],
      [12, 13, [99], "digest length 99, got 100"],
      [12 + word / 2, 4 * word, [1], "zeros as other parameters"],
      [mode, mode + 1, [0, 1, 5], "mode 4"],
      ...keys,
    ];
  }
  return [
    ...digests,
    [3, 4, [0], "maxDepth from 1 to 255"],
    [depth + 1, depth + 2, [longest + 1, 255], `innerHashLength from 0 to ${longest}`],
    [depth + 2, 4 * word, [1], "zeros as reserved parameters"],
    [mode, mode + 1, [2, 4, 255], "lastNode from 0 to 1"],
    ...keys,
  ];
}

/** The most bytes of parameters. */
const MOST: Record<string, number> = { blake224: 52, blake256: 52, blake384: 104, blake512: 104, blake3: 36 };

describe.each(Object.keys(all))("%s", (name) => {
  const word = wordOf(name);
  const isBlake2 = /^blake2[bsx]/.test(name);
  const options = isBlake2 ? { key: keyOf(KEY_LENGTH), ...(name.includes("x") && { length: 100 }) } : {};
  const state = saved(name, 5000, name === "blake3" ? { key: keyOf(32) } : options);
  const fields = parse(state);

  it("refuses what its parameters cannot be, and takes them as they are", () => {
    for (const [from, to, values, must] of rulesOf(name)) {
      for (let at = from; at < to; at++) {
        for (const value of values) expectRefused(name, withParameter(state, at, value), must);
      }
    }
    expectAccepted(name, state);
  });

  it("refuses more bytes of parameters than an algorithm has", () => {
    const most = MOST[name] ?? 17 * word;
    const withLength = (length: number) => build({ ...fields, parameters: new Uint8Array(length).fill(1) });
    expectRefused(name, withLength(most + 1), `parameter bytes from 0 to ${most}, got ${most + 1}`);
    expect(expectRefused(name, withLength(most), "")).not.toContain("parameter bytes from 0 to");
  });

  if (!isBlake2) return;

  it("refuses a digest length that the parameters do not have", () => {
    for (const digestLength of [fields.digestLength - 1n, fields.digestLength + 1n, fields.digestLength + 2n ** 32n]) {
      const must = `digest length ${fields.digestLength}, got ${digestLength}`;
      expectRefused(name, build({ ...fields, digestLength }), must);
    }
  });

  it("counts the bytes of its key's block, too", () => {
    const most = 2n ** BigInt(16 * word) - 1n;
    const withTotal = (total: bigint) =>
      withState(state, (view) => {
        const count = total - BigInt(view.getUint32(8, true));
        view.setBigUint64(16, count & (2n ** 64n - 1n), true);
        view.setBigUint64(24, count >> 64n, true);
        view.setUint32(4, 0, true);
      });
    const must = `byte count, its key's block included, from 0 to ${most}, got ${most + 1n}`;
    expectRefused(name, withTotal(most + 1n), must);
    // The empty buffer is wrong then: it is looked at after the count.
    expectRefused(name, withTotal(most), "buffered length", "got 0");
  });

  if (name.includes("x")) {
    it("refuses another copy of the parameters at the state's end", () => {
      for (const at of [32 + 24 * word, -1]) {
        expectRefused(name, flippedState(state, at), "its parameters at its end, got other bytes");
      }
    });
  } else if (!name.endsWith("p")) {
    it("accepts the smallest and the greatest maxDepth and innerHashLength", () => {
      for (const value of [1, 255]) expectAccepted(name, withParameter(state, 3, value));
      for (const value of [0, 8 * word]) expectAccepted(name, withParameter(state, nodeDepthAt(word) + 1, value));
    });
  }
});

describe.each(["blake2bp", "blake2sp"])("%s", (name) => {
  const word = wordOf(name);
  const leaves = word === 8 ? 4 : 8;
  const stripe = 16 * word * leaves;
  // A stripe waits until the last leaf has a byte in the next one.
  const waiting = 2 * stripe - 16 * word;
  const must = "the first chaining values, got other bytes";

  it("accepts the state of a message of every third length of some stripes", () => {
    for (const [i, options] of [{}, {}, { key: keyOf(KEY_LENGTH) }].entries()) {
      for (let length = i; length < 3 * stripe; length += 3) {
        expectAccepted(name, saved(name, length, options), `${length} bytes`);
      }
    }
  });

  it("refuses another chaining value of the root, and of the leaves until the first stripe is compressed", () => {
    for (const length of [1, waiting, waiting + 1, 5000]) {
      for (const at of [32, 32 + 8 * word - 1]) expectRefused(name, flippedState(saved(name, length), at), must);
      for (const at of [32 + 8 * word, 32 + 8 * word * (1 + leaves) - 1]) {
        const state = flippedState(saved(name, length), at);
        if (length > waiting) expectAccepted(name, state);
        else expectRefused(name, state, must);
      }
    }
  });

  it("refuses more buffered bytes than two stripes", () => {
    const state = withState(saved(name, 5000), (view) => view.setUint32(4, 2 * stripe + 1, true));
    expectRefused(name, state, `buffered length from 0 to ${2 * stripe}, got ${2 * stripe + 1}`);
  });
});

describe("says why", () => {
  const b = saved("blake2b", 300, { key: keyOf(40), salt: keyOf(3), lastNode: true });
  const s = saved("blake2s", 10, { lastNode: true });
  const [short, four, three] = [10, 4096, 5000].map((length) => saved("blake3", length)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  const keyedThree = saved("blake3", 5000, { key: keyOf(32) });
  const keyed = save(all.blake2b!.create({ key: keyOf(40) }));
  const x = save(all.blake2xb!.create());
  const withParameters = (state: Uint8Array, ...bytes: number[]) =>
    build({ ...parse(state), parameters: Uint8Array.from(bytes) });

  /** With more bytes in the kernel's state, which knows of them. */
  function resized(state: Uint8Array, length: number): Uint8Array {
    const fields = parse(state);
    const bytes = new Uint8Array(length);
    bytes.set(fields.state.subarray(0, length));
    new DataView(bytes.buffer).setUint32(0, length, true);
    return build({ ...fields, state: bytes });
  }

  // A state that would fold the last two of one subtree.
  const oneChunk = withState(resized(four, 176 + 32), (view) => {
    view.setUint32(16, 1024, true);
    view.setUint32(164, 1, true);
  });

  it.each<[what: string, algorithm: string, state: Uint8Array, must: string, got: string]>([
    ["nothing", "blake2b", new Uint8Array(), "bytes from 68 to 4268", "got 0"],
    ["too much", "blake2b", new Uint8Array(1e6), "bytes from 68 to 4268", "got 1000000"],
    ["the most bytes", "blake2b", new Uint8Array(4268), "the magic bytes of a saved state", "got other bytes"],
    ["magic", "blake2b", changed(b, "frame", 3, 0), "the magic bytes of a saved state", "got other bytes"],
    ["version", "blake2b", changed(b, "frame", 7, 2), "version 1", "got 2"],
    ["algorithm", "blake2b", changed(b, "frame", 14, 0x73), "the name blake2b", "got other bytes"],
    ["digest length", "blake3", changed(three, "frame", 22, 32), "digest length from 0 to 9007199254740991", "got"],
    ["state's length", "blake2b", changed(b, "frame", 28, 225), "kernel state bytes 224", "got 225"],
    ["checksum", "blake2b", b.with(200, b[200]! ^ 8), "its own checksum", "got damaged bytes"],
    ["a longer state", "blake2b", resized(b, 232), "kernel state bytes 224", "got 232"],
    ["one zero behind", "blake2b", withParameters(b, ...parse(b).parameters, 0), "parameter bytes, without", "130"],
    ["a zero alone", "blake2b", withParameters(b, 0), "parameter bytes, without zeros at their end, 0", "got 1"],
    ["zeros behind", "blake2b", changed(b, "parameters", 128, 0), "parameter bytes, without", "104, got 129"],
    ["size", "blake2b", changed(b, "state", 0, 223), "size 224", "got 223"],
    ["buffered", "blake2b", changed(b, "state", 4, 43), "buffered length 44", "got 43"],
    ["buffered too many", "blake2b", changed(b, "state", 4, 129), "buffered length from 0 to 128", "got 129"],
    ["prefix", "blake2b", changed(b, "state", 8, 0), "prefix length 128", "got 0"],
    ["flags", "blake2b", changed(b, "state", 12, 0), "flags 1", "got 0"],
    ["count", "blake2b", changed(b, "state", 16, 45), "buffered length 45", "got 44"],
    [
      "after the buffered",
      "blake2b",
      changed(b, "state", 96 + 44, 1),
      "zeros as bytes after the buffered",
      "got other",
    ],
    ["first chain", "blake2s", changed(s, "state", 32, 1), "the first chaining value", "got other bytes"],
    ["another key at count 0", "blake2b", changed(keyed, "state", 96, 1), "the fresh state of its parameters", "got"],
    ["another end at count 0", "blake2xb", flippedState(x, -1), "the fresh state of its parameters", "got other"],
    ["count 0", "blake2s", changed(s, "state", 16, 0), "the fresh state of its parameters", "got other bytes"],
    ["mode", "blake3", changed(keyedThree, "parameters", 32, 32), "a mode of 0, 16, 64", "got 32"],
    ["key of the plain mode", "blake3", changed(three, "parameters", 0, 0), "the IV", "got other bytes"],
    ["another mode", "blake3", changed(keyedThree, "parameters", 32, 64), "flags 64", "got 16"],
    ["another key", "blake3", changed(keyedThree, "parameters", 0, 0), "its parameters' key", "got other bytes"],
    ["blocks", "blake3", changed(three, "state", 160, 13), "blocks of a chunk 14", "got 13"],
    ["blocks, fourth byte", "blake3", changed(three, "state", 163, 1), "blocks of a chunk 14", "got 16777230"],
    ["part of a block", "blake3", changed(three, "state", 4, 9), "buffered length 8", "got 9"],
    ["no chunk in progress", "blake3", changed(four, "state", 16, 1), "buffered length 1", "got 0"],
    ["depth", "blake3", changed(three, "state", 164, 2), "stack depth 1", "got 2"],
    ["depth beyond the stack", "blake3", changed(four, "state", 164, 9), "stack depth from 2 to 3", "got 9"],
    ["an odd number of chunks", "blake3", changed(four, "state", 17, 28), "stack depth 3", "got 2"],
    ["one chunk", "blake3", oneChunk, "its first chunk in progress", "got none"],
    ["stack", "blake3", resized(three, 240), "kernel state bytes 208", "got 240"],
    ["byte count", "blake3", changed(three, "state", 24, 1), `byte count from 0 to ${2n ** 64n - 1n}`, "got"],
    ["start of a chunk", "blake3", changed(short, "state", 64, 0), "the key to start a chunk", "got other bytes"],
    ["first chunk", "blake3", changed(three, "state", 168, 1), "zeros as number of the first chunk", "got other"],
  ])("%s", (_what, name, state, must, got) => {
    expectRefused(name, state, must, got);
  });
});
