// Each value of a saved state that docs/states.md excludes is refused by the name of its field, although the rest of
// the state is right, and the smallest and greatest that it allows are accepted.
import { type Algorithm, algorithms } from "blake-simd";
import { restore, save } from "blake-simd/states";
import { describe, expect, it } from "vitest";
import { expectError } from "../support/errors.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { build, parse, seal, withParameter, withState } from "../support/saved-state.ts";
import { keyOf } from "../support/subjects.ts";

const all = algorithms as unknown as Record<string, Algorithm<object>>;
const KEY_LENGTH = 5;

const expectRefused = (name: string, state: Uint8Array, must: string, got = "") =>
  expectError(() => restore(all[name]!, state), RangeError, `restore: state must have ${must}`, got);

function expectAccepted(name: string, state: Uint8Array, what?: string): void {
  expectBytes(save(restore(all[name]!, state)), state, what);
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

const wordOf = (name: string) => (/^blake(2x?b|384|512)/.test(name) ? 8 : 4);

/** Values that a byte of the parameters cannot have, and what the error says. */
type Refused = readonly [at: number, values: readonly number[], must: string];

function rulesOf(name: string): Refused[] {
  const word = wordOf(name);
  const [longest, mode] = [8 * word, 16 * word];
  if (name === "blake3") return [[32, [1, 15, 17, 255], "flags of 0, 16, 64"]];
  if (/\d{3}$/.test(name)) return [[12 * word, [2, 3, 255], "flags of "]];
  if (name.includes("x")) {
    return [
      [12, [0, 99, 101], "its parameters' digest length, got 100"],
      [mode, [0, 1, 5], "flags of 4"],
    ];
  }
  return [
    [0, [0, longest - 1, longest + 1], `its parameters' digest length, got ${longest}`],
    [mode, name.endsWith("p") ? [0, 1, 3, 4] : [2, 4, 255], "flags of "],
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
    for (const [at, values, must] of rulesOf(name)) {
      for (const value of values) expectRefused(name, withParameter(state, at, value), must);
    }
    expectAccepted(name, state);
  });

  it("refuses more bytes of parameters than an algorithm has", () => {
    const most = MOST[name] ?? 17 * word;
    const withLength = (length: number) => build({ ...fields, parameters: new Uint8Array(length).fill(1) });
    expectRefused(name, withLength(most + 1), `parameter bytes from 0 to ${most}, got ${most + 1}`);
    expect(expectRefused(name, withLength(most), "")).not.toContain("parameter bytes from 0 to");
  });

  it("restores a message of up to 2^60 bytes, and no longer one", () => {
    // Whole blocks, stripes and subtrees, after which a count of as many more stays right.
    const whole = saved(name, 4096, isBlake2 ? { key: keyOf(KEY_LENGTH) } : {});
    const withCount = (count: bigint) => withState(whole, (view) => view.setBigUint64(16, count, true));
    const longest = 2n ** 60n;
    const hasher = restore(all[name]!, withCount(longest));
    expect(hasher.bytesHashed).toBe(longest);
    expectBytes(save(hasher), withCount(longest));
    expect(hasher.update(pattern(5000)).bytesHashed).toBe(longest + 5000n);
    expect(hasher.digest()).toHaveLength(hasher.digestLength);
    for (const count of [longest + 1n, 2n * longest, 2n ** 64n - 1n]) {
      expectRefused(name, withCount(count), `byte count from 0 to ${longest}, got ${count}`);
    }
    const upper = withState(whole, (view) => view.setBigUint64(24, 1n, true));
    expectRefused(name, upper, `byte count from 0 to ${longest}, got`);
  });

  if (!isBlake2) return;

  it("refuses a digest length that the parameters do not have", () => {
    for (const digestLength of [fields.digestLength - 1n, fields.digestLength + 1n, fields.digestLength + 2n ** 32n]) {
      const must = `its parameters' digest length, got ${digestLength}`;
      expectRefused(name, build({ ...fields, digestLength }), must);
    }
  });
});

describe.each(["blake2bp", "blake2sp"])("%s", (name) => {
  const word = wordOf(name);
  const leaves = word === 8 ? 4 : 8;
  const stripe = 16 * word * leaves;

  it("accepts the state of a message of every third length of some stripes", () => {
    for (const [i, options] of [{}, {}, { key: keyOf(KEY_LENGTH) }].entries()) {
      for (let length = i; length < 3 * stripe; length += 3) {
        expectAccepted(name, saved(name, length, options), `${length} bytes`);
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
  const [four, three] = [4096, 5000].map((length) => saved("blake3", length)) as [Uint8Array, Uint8Array];
  const keyedThree = saved("blake3", 5000, { key: keyOf(32) });
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
    ["one zero behind", "blake2b", withParameters(b, ...parse(b).parameters, 0), "parameter bytes 129", "got 130"],
    ["a zero alone", "blake2b", withParameters(b, 0), "parameter bytes 0", "got 1"],
    ["zeros behind", "blake2b", changed(b, "parameters", 128, 0), "parameter bytes 128", "got 129"],
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
    ["count 0", "blake2s", changed(s, "state", 16, 0), "buffered length 0", "got 10"],
    ["mode", "blake3", changed(keyedThree, "parameters", 32, 32), "flags of 0, 16, 64", "got 32"],
    ["another mode", "blake3", changed(keyedThree, "parameters", 32, 64), "flags 64", "got 16"],
    ["blocks", "blake3", changed(three, "state", 160, 13), "blocks of a chunk 14", "got 13"],
    ["blocks, fourth byte", "blake3", changed(three, "state", 163, 1), "blocks of a chunk 14", "got 16777230"],
    ["part of a block", "blake3", changed(three, "state", 4, 9), "buffered length 8", "got 9"],
    ["no chunk in progress", "blake3", changed(four, "state", 16, 1), "buffered length 1", "got 0"],
    ["depth", "blake3", changed(three, "state", 164, 2), "stack depth 1", "got 2"],
    ["depth beyond the stack", "blake3", changed(four, "state", 164, 9), "stack depth from 2 to 3", "got 9"],
    ["an odd number of chunks", "blake3", changed(four, "state", 17, 28), "stack depth 3", "got 2"],
    ["one chunk", "blake3", oneChunk, "its first chunk in progress", "got none"],
    ["stack", "blake3", resized(three, 240), "kernel state bytes 208", "got 240"],
    ["first chunk", "blake3", changed(three, "state", 168, 1), "zeros as bytes after the depth", "got other"],
  ])("%s", (_what, name, state, must, got) => {
    expectRefused(name, state, must, got);
  });
});
