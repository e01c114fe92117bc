// What is no saved state is refused with an error that says why: cut off, extended, foreign, or changed at any bit, with
// and without a checksum that fits the change. What is taken nevertheless can only be content, and works.

import { type Algorithm, algorithms, blake2b, blake2s, blake2xb, blake3 } from "blake-simd";
import { restore, save } from "blake-simd/states";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { expectError } from "../support/errors.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { build, parse, savedToday, seal, withState } from "../support/saved-state.ts";
import { keyOf } from "../support/subjects.ts";
import { type WrittenState, writtenStates } from "../support/written-states.ts";

const all = algorithms as unknown as Record<string, Algorithm>;
const HEADER = 32;
const HEAD = 32;
const MORE = pattern(5000);
const BITS = [0, 1, 2, 3, 4, 5, 6, 7];

/** The error that a state is refused with; nothing if it is accepted. Any other error fails the test. */
function refusal(name: string, state: Uint8Array): string | undefined {
  try {
    restore(all[name]!, state);
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    // Not as matchers: there are some hundred thousand of these.
    const clear = message.startsWith("restore: state must have ") && message.includes(", got ");
    if (!(error instanceof RangeError && clear)) throw error;
    return message;
  }
}

function expectRefused(name: string, state: Uint8Array, where: string): void {
  if (refusal(name, state) === undefined) expect.fail(`taken: ${name}, ${where}`);
}

function flipped(state: Uint8Array, at: number, bit: number): Uint8Array {
  const copy = state.slice();
  copy[at]! ^= 1 << bit;
  return copy;
}

/** What a state that was taken must do: be whole, and be used without harm. */
function expectSound(name: string, state: Uint8Array): void {
  const hasher = restore(all[name]!, state);
  expectBytes(save(hasher), savedToday(state), "saved again");
  if (hasher.digestLength > 10_000) return;
  expect(hasher.digest().length).toBe(hasher.digestLength);
  hasher.update(MORE);
  expect(hasher.digest().length).toBe(hasher.digestLength);
  expect(hasher.reset().digest().length).toBe(hasher.digestLength);
}

type Range = readonly [start: number, end: number];

/** Where bytes can be anything, or anything in a range, as docs/states.md says; `p` is where the kernel state begins. */
function contentOf(name: string, state: Uint8Array): Range[] {
  const { parameters } = parse(state);
  const p = HEADER + parameters.length;
  const waiting = new DataView(state.buffer, state.byteOffset).getUint32(p + 4, true);
  const count: Range = [p + 16, p + 32];
  if (name === "blake2b" || name === "blake2s") {
    const word = name === "blake2b" ? 8 : 4;
    const keyLength = Math.max(1, parameters[1]!);
    const buffer = p + HEAD + 8 * word;
    return [
      [HEADER + 1, Math.min(p, HEADER + 18)],
      [HEADER + 4 * word, Math.min(p, HEADER + 8 * word + keyLength)],
      count,
      [p + HEAD, buffer + waiting],
    ];
  }
  if (/^blake\d{3}$/.test(name)) {
    const word = Number(name.slice(5)) > 256 ? 8 : 4;
    const buffer = p + HEAD + 12 * word;
    // The salt is there twice, so neither copy can change alone.
    return [count, [p + HEAD, p + HEAD + 8 * word], [buffer, buffer + waiting]];
  }
  if (name === "blake3") {
    const length: Range = [16, 24];
    return [length, count, [p + 64, p + 96 + waiting], [p + 176, state.length - 4]];
  }
  return [
    [16, 24],
    [HEADER, p],
    [p + 16, state.length - 4],
  ];
}

const inside = (ranges: Range[], at: number) => ranges.some(([start, end]) => at >= start && at < end);

/** Some states of every kind of options and place, of that many bytes in all: every bit of all states takes minutes. */
function sample(name: string, bytes: number): WrittenState[] {
  const own = writtenStates.filter(({ algorithm }) => algorithm === name);
  const every = Math.ceil(own.reduce((sum, { state }) => sum + state.length, 0) / bytes);
  return own.filter((_, i) => i % every === Math.min(every, own.length) - 1);
}

describe.each(Object.keys(algorithms))("%s", (name) => {
  const states = sample(name, 1200);

  it("refuses a state cut off anywhere, or extended", () => {
    for (const { state, about } of states) {
      for (let length = 0; length < state.length; length++) {
        expectRefused(name, state.subarray(0, length), `${about}, the first ${length} bytes`);
        expectRefused(name, state.subarray(state.length - length), `${about}, the last ${length} bytes`);
        if (length >= 4) expectRefused(name, seal(state.slice(0, length)), `${about}, ${length} bytes, sealed`);
      }
      for (const more of [1, 2, 4, 32, 100, 5000, 100_000]) {
        const longer = new Uint8Array(state.length + more);
        longer.set(state);
        expectRefused(name, longer, `${about}, ${more} bytes more`);
        expectRefused(name, seal(longer.slice()), `${about}, ${more} bytes more, sealed`);
      }
    }
  });

  it("refuses a state cut off or extended so that its lengths agree", () => {
    for (const { state, about } of states) {
      const { parameters, state: body } = parse(state);
      const p = HEADER + parameters.length;
      for (let length = 0; length < body.length + 100; length++) {
        if (length === body.length) continue;
        const other = new Uint8Array(p + length + 4);
        other.set(state.subarray(0, Math.min(p + length, p + body.length)));
        const view = new DataView(other.buffer);
        view.setUint32(28, length, true);
        if (length >= 4) view.setUint32(p, length, true);
        expectRefused(name, seal(other), `${about}, a kernel state of ${length} bytes`);
      }
    }
  });

  it("refuses a flip of any bit by its checksum", () => {
    for (const { state, about } of sample(name, 500)) {
      for (let at = 0; at < state.length; at++) {
        for (let bit = 0; bit < 8; bit++) expectRefused(name, flipped(state, at, bit), `${about}, bit ${bit} of ${at}`);
      }
    }
  });

  eachBackend((backend) => {
    it("refuses a flip of any bit that is no content, even with the checksum that fits", () => {
      for (const { state, about } of states) {
        const content = contentOf(name, state);
        for (let at = 0; at < state.length - 4; at++) {
          // What is refused is the builds' common code: a bit of each byte shows that the second one has part in it.
          for (const bit of backend === "simd128" ? BITS : [at % 8]) {
            const changed = seal(flipped(state, at, bit));
            if (refusal(name, changed) !== undefined) continue;
            if (!inside(content, at)) expect.fail(`taken: ${about}, bit ${bit} of byte ${at}`);
            if (bit === at % 8) expectSound(name, changed);
          }
        }
      }
    });

    it("is not harmed by many changes at once", () => {
      let random = 1;
      const next = (below: number) => {
        random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
        return Math.floor((random / 2 ** 32) * below);
      };
      for (let round = 0; round < 800; round++) {
        const { state } = states[next(states.length)]!;
        const changed = state.slice();
        const start = next(3) ? 16 : state.length - parse(state).state.length - 4;
        for (let i = next(6); i >= 0; i--) changed[start + next(changed.length - start)] = next(3) ? next(256) : 0;
        if (refusal(name, seal(changed)) === undefined) expectSound(name, changed);
      }
    });
  });

  it("refuses other algorithms' states", () => {
    for (const other of Object.keys(algorithms)) {
      if (other === name) continue;
      expectRefused(other, states[0]!.state, `a state of ${name}`);
      const renamed = states[0]!.state.slice();
      renamed.fill(0, 8, 16).set(new TextEncoder().encode(other), 8);
      if (refusal(other, seal(renamed)) === undefined) expectSound(other, renamed);
    }
  });

  it("continues after a refusal", () => {
    const hasher = all[name]!.create().update("abc");
    const digest = hasher.digest();
    expectRefused(name, states[0]!.state.subarray(1), "without its first byte");
    expectRefused(name, seal(flipped(states[0]!.state, states[0]!.state.length - 5, 0)).fill(0, 0, 1), "without magic");
    expectBytes(hasher.digest(), digest);
    expectBytes(all[name]!("abc"), digest);
  });
});

describe.each(Object.keys(algorithms).filter((name) => !/p$|3$/.test(name)))("%s", (name) => {
  const { blockLength } = all[name]!;
  // BLAKE compresses a block that is full; BLAKE2's last one waits.
  const most = /\d{3}$/.test(name) ? blockLength - 1 : blockLength;

  // It is all in the buffer still, with a key's block: nothing has been compressed.
  it.each([1, blockLength - 1, most])("refuses a first chaining value changed, after %i bytes", (length) => {
    const saved = save(all[name]!.create().update(pattern(length)));
    for (const at of [0, 7, blockLength / 2 - 1]) {
      const forged = withState(saved, (_, bytes) => {
        bytes[HEAD + at]! ^= 1;
      });
      expect(refusal(name, forged), `byte ${at}`).toContain("the first chaining value");
    }
  });
});

type Refused = [what: string, algorithm: Algorithm, state: Uint8Array, must: string, got: string];

describe("says why", () => {
  const b = save(blake2b.create({ key: keyOf(40), salt: keyOf(3), lastNode: true }).update(pattern(300)));
  const s = save(blake2s.create({ lastNode: true }).update(pattern(10)));
  const three = save(blake3.create().update(pattern(5000)));
  const four = save(blake3.create().update(pattern(4096)));
  const short = save(blake3.create().update(pattern(10)));
  const keyedThree = save(blake3.create({ key: keyOf(32) }).update(pattern(5000)));

  const keyed = save(blake2b.create({ key: keyOf(40) }));
  const x = save(blake2xb.create());

  const withParameters = (state: Uint8Array, parameters: Uint8Array) => build({ ...parse(state), parameters });

  /** With eight bytes more at the end of the kernel's state, which knows of them. */
  function longer(saved: Uint8Array): Uint8Array {
    const fields = parse(saved);
    const state = new Uint8Array(fields.state.length + 8);
    state.set(fields.state);
    new DataView(state.buffer).setUint32(0, state.length, true);
    return build({ ...fields, state });
  }

  function changed(state: Uint8Array, at: number, ...bytes: number[]): Uint8Array {
    const copy = state.slice();
    copy.set(bytes, at);
    return seal(copy);
  }
  const changedParameter = (state: Uint8Array, at: number, byte: number) => changed(state, HEADER + at, byte);
  const changedKernelState = (state: Uint8Array, at: number, byte: number) =>
    changed(state, HEADER + parse(state).parameters.length + at, byte);

  const frame: Refused[] = [
    ["nothing", blake2b, new Uint8Array(), "bytes from 68 to 4268", "got 0"],
    ["too much", blake2b, new Uint8Array(1e6), "bytes from 68 to 4268", "got 1000000"],
    ["the most bytes", blake2b, new Uint8Array(4268), "the magic bytes of a saved state", "got other bytes"],
    ["magic", blake2b, changed(b, 3, 0), "magic bytes of a saved state", "got other bytes"],
    ["version", blake2b, changed(b, 7, 2), "version 1", "got 2"],
    ["algorithm", blake2b, changed(b, 14, 0x73), "the name blake2b", "got other bytes"],
    ["digest length", blake2b, changed(b, 16, 63), "digest length 64", "got 63"],
    ["digest length of blake3", blake3, changed(three, 22, 32), "digest length from 0 to 9007199254740991", "got"],
    ["parameters' length", blake2b, changed(b, 24, 137), "parameter bytes from 0 to 136", "got 137"],
    ["state's length", blake2b, changed(b, 28, 225), "kernel state bytes 224", "got 225"],
    ["checksum", blake2b, flipped(b, 200, 3), "its own checksum", "got damaged bytes"],
    ["a longer state", blake2b, longer(b), "kernel state bytes 224", "got 232"],
    [
      "one zero behind",
      blake2b,
      withParameters(b, Uint8Array.of(...parse(b).parameters, 0)),
      "their end, 129",
      "got 130",
    ],
    ["a zero alone", blake2b, withParameters(b, new Uint8Array(1)), "without zeros at their end, 0", "got 1"],
  ];

  const ofBlake2: Refused[] = [
    [
      "zeros behind",
      blake2b,
      changedParameter(b, 128, 0),
      "parameter bytes, without zeros at their end, 104",
      "got 129",
    ],
    ["size", blake2b, changedKernelState(b, 0, 223), "size 224", "got 223"],
    ["buffered", blake2b, changedKernelState(b, 4, 43), "buffered length 44", "got 43"],
    ["buffered too many", blake2b, changedKernelState(b, 4, 129), "buffered length from 0 to 128", "got 129"],
    ["prefix", blake2b, changedKernelState(b, 8, 0), "prefix length 128", "got 0"],
    ["flags", blake2b, changedKernelState(b, 12, 0), "flags 1", "got 0"],
    ["count", blake2b, changedKernelState(b, 16, 45), "buffered length 45", "got 44"],
    [
      "after the buffered",
      blake2b,
      changedKernelState(b, 96 + 44, 1),
      "zeros as bytes after the buffered ones",
      "other",
    ],
    ["first chain", blake2s, changedKernelState(s, 32, 1), "the first chaining value", "got other bytes"],
    [
      "another key at count 0",
      blake2b,
      changedKernelState(keyed, 96, 1),
      "the fresh state of its parameters",
      "got other",
    ],
    [
      "another end at count 0",
      blake2xb,
      changedKernelState(x, parse(x).state.length - 1, 1),
      "the fresh state of its parameters",
      "got other",
    ],
    ["count 0", blake2s, changedKernelState(s, 16, 0), "the fresh state of its parameters", "got other bytes"],
  ];

  const ofBlake3: Refused[] = [
    ["mode", blake3, changedParameter(keyedThree, 32, 32), "mode of 0, 16, 64", "got 32"],
    ["key of the plain mode", blake3, changedParameter(three, 0, 0), "the IV", "got other bytes"],
    ["another mode", blake3, changedParameter(keyedThree, 32, 64), "flags 64", "got 16"],
    ["another key", blake3, changedParameter(keyedThree, 0, 0), "its parameters' key", "got other bytes"],
    ["blocks", blake3, changedKernelState(three, 160, 16), "blocks of a chunk 14", "got 16"],
    ["blocks, second byte", blake3, changedKernelState(three, 161, 1), "blocks of a chunk 14", "got 270"],
    ["blocks, third byte", blake3, changedKernelState(three, 162, 1), "blocks of a chunk 14", "got 65550"],
    ["blocks, fourth byte", blake3, changedKernelState(three, 163, 1), "blocks of a chunk 14", "got 16777230"],
    ["length of the chunk", blake3, changedKernelState(three, 160, 13), "blocks of a chunk 14", "got 13"],
    ["part of a block", blake3, changedKernelState(three, 4, 9), "buffered length 8", "got 9"],
    ["no chunk in progress", blake3, changedKernelState(four, 16, 1), "buffered length 1", "got 0"],
    ["depth", blake3, changedKernelState(three, 164, 2), "stack depth 1", "got 2"],
    ["depth beyond the stack", blake3, changedKernelState(four, 164, 9), "stack depth from 2 to 3", "got 9"],
    ["an odd number of chunks", blake3, changedKernelState(four, 17, 28), "stack depth 3", "got 2"],
    ["one chunk", blake3, oneChunk(), "its first chunk in progress", "got none"],
    ["stack", blake3, longerStack(), "kernel state bytes 208", "got 240"],
    ["byte count", blake3, changedKernelState(three, 24, 1), `byte count from 0 to ${2n ** 64n - 1n}`, "got"],
    ["start of a chunk", blake3, changedKernelState(short, 64, 0), "the key to start a chunk", "got other bytes"],
    ["first chunk", blake3, changedKernelState(three, 168, 1), "zeros as number of the first chunk", "got other bytes"],
  ];

  // A state with one chaining value more on its stack than its depth.
  function longerStack(): Uint8Array {
    const fields = parse(three);
    const state = new Uint8Array(fields.state.length + 32);
    state.set(fields.state);
    new DataView(state.buffer).setUint32(0, state.length, true);
    return build({ ...fields, state });
  }

  // A state that would fold the last two of one subtree.
  function oneChunk(): Uint8Array {
    const fields = parse(four);
    const state = fields.state.slice(0, 176 + 32);
    const view = new DataView(state.buffer);
    view.setUint32(0, state.length, true);
    view.setUint32(16, 1024, true);
    view.setUint32(164, 1, true);
    return build({ ...fields, state });
  }

  it.each([...frame, ...ofBlake2, ...ofBlake3])("%s", (_what, algorithm, state, must, got) => {
    expectError(() => restore(algorithm, state), RangeError, "restore: state must have", must, got);
  });

  it("never with the key", () => {
    const key = keyOf(32);
    for (let at = 0; at < keyedThree.length; at++) {
      const message = refusal("blake3", seal(flipped(keyedThree, at, 1))) ?? "";
      expect(message).not.toContain(Buffer.from(key.subarray(0, 4)).toString("hex"));
      expect(message).not.toContain(key.subarray(0, 4).join());
    }
  });

  it("takes a stack in halves, as a message in whole subtrees leaves it", () => {
    const halves = save(blake3.create().update(pattern(4096)));
    expect(new DataView(halves.buffer).getUint32(HEADER + 32 + 164, true)).toBe(2);
    const hasher = blake3.create().update(pattern(4096));
    hasher.digest();
    const quarters = save(hasher.update(pattern(8192).subarray(4096)));
    expect(new DataView(quarters.buffer).getUint32(HEADER + 32 + 164, true)).toBe(3);
    expectBytes(restore(blake3, halves).digest(), blake3(pattern(4096)));
    expectBytes(restore(blake3, quarters).digest(), blake3(pattern(8192)));
  });
});

it("a value that is no hasher, and an algorithm that is none, are named", () => {
  const state = save(blake3.create());
  expectError(() => save({} as never), TypeError, "save: hasher", "a hasher of this package", "an object");
  for (const bytes of [undefined, [...state], Buffer.from(state).toString("hex"), state.buffer]) {
    expectError(() => restore(blake3, bytes as never), TypeError, "restore: state must be a Uint8Array, got ");
  }
  for (const algorithm of [{}, () => {}, undefined]) {
    expectError(
      () => restore(algorithm as never, state),
      TypeError,
      "restore: algorithm",
      "an algorithm of this package",
    );
  }
  expect(restore(blake3, state).digest("hex")).toBe(blake3.hex(""));
});
