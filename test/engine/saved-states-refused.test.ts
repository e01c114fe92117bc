// What is no saved state is refused with an error that says why: cut off, extended, foreign, or changed at any bit,
// with and without a checksum that fits the change. What is taken nevertheless can only be content, and works.
import { type Algorithm, algorithms, blake3 } from "blake-simd";
import { restore, save } from "blake-simd/states";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { build, parse, seal, type WrittenState, withState, writtenStates } from "../support/saved-state.ts";
import { keyOf } from "../support/subjects.ts";

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

function lengthened(state: Uint8Array, length: number): Uint8Array {
  const other = new Uint8Array(length);
  other.set(state.subarray(0, length));
  return other;
}

/** What a state that was taken must do: be whole, and be used without harm. */
function expectSound(name: string, state: Uint8Array): void {
  const hasher = restore(all[name]!, state);
  expectBytes(save(hasher), state, "saved again");
  if (hasher.digestLength > 10_000) return;
  expect(hasher.digest().length).toBe(hasher.digestLength);
  hasher.update(MORE);
  expect(hasher.digest().length).toBe(hasher.digestLength);
  expect(hasher.reset().digest().length).toBe(hasher.digestLength);
}

type Range = readonly [start: number, end: number];

/**
 * Where bytes can be anything, or anything in a range, as docs/states.md says; `p` is where the kernel state begins.
 */
function contentOf(name: string, state: Uint8Array): Range[] {
  const { parameters } = parse(state);
  const p = HEADER + parameters.length;
  const waiting = new DataView(state.buffer, state.byteOffset).getUint32(p + 4, true);
  const options: Range = [HEADER, p];
  const count: Range = [p + 16, p + 32];
  const word = /^blake(2b|384|512)/.test(name) ? 8 : 4;
  if (name === "blake2b" || name === "blake2s") return [options, count, [p + HEAD, p + HEAD + 8 * word + waiting]];
  if (/^blake\d{3}$/.test(name)) return [options, count, [p + HEAD, p + HEAD + 12 * word + waiting]];
  if (name === "blake3") return [[16, 24], options, count, [p + 32, p + 96 + waiting], [p + 176, state.length - 4]];
  return [[16, 24], options, [p + 16, state.length - 4]];
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

  it("refuses a state cut off anywhere, or extended, also if its lengths agree", () => {
    for (const { state, about } of states) {
      const { parameters, state: body } = parse(state);
      for (let length = 0; length < state.length; length++) {
        expectRefused(name, state.subarray(0, length), `${about}, the first ${length} bytes`);
        expectRefused(name, state.subarray(state.length - length), `${about}, the last ${length} bytes`);
        if (length >= 4) expectRefused(name, seal(state.slice(0, length)), `${about}, ${length} bytes, sealed`);
      }
      for (const more of [1, 2, 4, 32, 100, 5000, 100_000]) {
        const longer = lengthened(state, state.length + more);
        expectRefused(name, longer, `${about}, ${more} bytes more`);
        expectRefused(name, seal(longer), `${about}, ${more} bytes more, sealed`);
      }
      const p = HEADER + parameters.length;
      for (let length = 0; length < body.length + 100; length++) {
        if (length === body.length) continue;
        const other = lengthened(state.subarray(0, p + Math.min(length, body.length)), p + length + 4);
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
        for (const bit of BITS) expectRefused(name, flipped(state, at, bit), `${about}, bit ${bit} of ${at}`);
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
  }, name);

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

  it("refuses other algorithms' states, and leaves its hashers as they were", () => {
    const hasher = all[name]!.create().update("abc");
    const digest = hasher.digest();
    for (const other of Object.keys(algorithms).filter((each) => each !== name)) {
      const foreign = sample(other, 1200)[0]!.state;
      expectRefused(name, foreign, `a state of ${other}`);
      const renamed = foreign.slice();
      renamed.fill(0, 8, 16).set(new TextEncoder().encode(name), 8);
      if (refusal(name, seal(renamed)) === undefined) expectSound(name, renamed);
    }
    expectBytes(hasher.digest(), digest);
    expectBytes(all[name]!("abc"), digest);
  });
});

it("never says the key", () => {
  const key = keyOf(32);
  const saved = save(blake3.create({ key }).update(pattern(5000)));
  for (let at = 0; at < saved.length; at++) {
    const message = refusal("blake3", seal(flipped(saved, at, 1))) ?? "";
    expect(message).not.toContain(Buffer.from(key.subarray(0, 4)).toString("hex"));
    expect(message).not.toContain(key.subarray(0, 4).join());
  }
});

it("takes a stack in halves, as a message in whole subtrees leaves it, and no longer one", () => {
  const depthOf = (saved: Uint8Array) => new DataView(parse(saved).state.buffer).getUint32(164, true);
  const hasher = blake3.create().update(pattern(4096));
  const halves = save(hasher);
  hasher.digest();
  const quarters = save(hasher.update(pattern(8192).subarray(4096)));
  expect([halves, quarters].map(depthOf)).toEqual([2, 3]);
  expectBytes(restore(blake3, halves).digest(), blake3(pattern(4096)));
  expectBytes(restore(blake3, quarters).digest(), blake3(pattern(8192)));
  const fields = parse(halves);
  const longer = build({ ...fields, state: lengthened(fields.state, fields.state.length + 32) });
  expect(
    refusal(
      "blake3",
      withState(longer, (state) => state.setUint32(0, state.byteLength, true)),
    ),
  ).toMatch(/kernel state bytes \d+, got/);
});
