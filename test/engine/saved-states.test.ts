// Saved and restored hashers: the states that are written down as text continue correctly, and so does every state that
// is saved here, on either build. What is refused is in saved-states-refused.test.ts.

import { type Algorithm, algorithms, blake3, useBackend } from "blake-simd";
import { restore, save } from "blake-simd/states";
import { describe, expect, it } from "vitest";
import { BACKENDS, eachBackend } from "../support/backends.ts";
import { expectError, notBytes } from "../support/errors.ts";
import { edges, expectBytes, pattern, smallEdges } from "../support/messages.ts";
import { expectedDigest, type Options } from "../support/oracle.ts";
import { build, parse, type WrittenState, writtenStates } from "../support/saved-state.ts";
import { eachSubject, expected } from "../support/subjects.ts";

const all = algorithms as unknown as Record<string, Algorithm<Options>>;
const TAIL = 3 * 1024 + 33;

describe("states written down", () => {
  it("there are some of every algorithm", () => {
    const written = new Set(writtenStates.map(({ algorithm }) => algorithm));
    expect([...written].sort()).toEqual(Object.keys(algorithms).sort());
  });

  // The independent digests are slow, and the same for both builds.
  const digests = new Map<WrittenState, [now: Uint8Array, later: Uint8Array]>();
  const digestsOf = (written: WrittenState) => {
    const { algorithm, options, length } = written;
    const digest = (bytes: number) => expectedDigest(algorithm, pattern(bytes), options);
    const known = digests.get(written) ?? [digest(length), digest(length + TAIL)];
    digests.set(written, known);
    return known;
  };

  eachBackend(() => {
    for (const name of Object.keys(algorithms)) {
      describe(name, () => {
        const own = writtenStates.filter(({ algorithm }) => algorithm === name);
        it.each(own)("$about", (written) => {
          const [now, later] = digestsOf(written);
          const hasher = restore(all[name]!, written.state);
          expect(hasher.algorithm).toBe(name);
          expect(hasher.bytesHashed).toBe(BigInt(written.length));
          expect(hasher.digestLength).toBe(now.length);
          expectBytes(save(hasher), written.state, "saved again");
          expectBytes(hasher.digest(), now);
          hasher.update(pattern(written.length + TAIL).subarray(written.length));
          expectBytes(hasher.digest(), later);
          expectBytes(hasher.reset().digest(), expectedDigest(name, new Uint8Array(), written.options), "after reset");
        });
      });
    }
  });

  it("have a length that does not tell what a key is", () => {
    for (const [name, algorithm] of Object.entries(all).filter(([name]) => /^blake(2[a-z]|3$)/.test(name))) {
      const longest = /^blake2b|^blake2xb/.test(name) ? 64 : 32;
      for (const length of name === "blake3" ? [32] : [1, 20, longest]) {
        const lengths = [...Array(length + 1).keys()].map((zeros) => {
          const key = new Uint8Array(length).fill(7).fill(0, length - zeros);
          const saved = save(algorithm.create({ key } as object).update("abc"));
          const digest = expectedDigest(name, Buffer.from("abc"), { key });
          expectBytes(restore(algorithm, saved).digest(), digest, `${name}, ${zeros} zeros`);
          return saved.length;
        });
        expect(new Set(lengths).size, `${name}, a key of ${length} bytes`).toBe(1);
      }
    }
  });

  it("hold a digest length of more than 32 bits", () => {
    for (const length of [2 ** 32, 2 ** 33 + 5, Number.MAX_SAFE_INTEGER]) {
      const state = save(blake3.create({ length }).update("abc"));
      expect(parse(state).digestLength).toBe(BigInt(length));
      expect(restore(blake3, state).digestLength).toBe(length);
    }
  });

  it("are laid out as docs/states.md says", () => {
    for (const { algorithm, state, length } of writtenStates) {
      const fields = parse(state);
      expect(fields).toMatchObject({ version: 1, name: algorithm });
      expect(Buffer.from(fields.state).readUInt32LE(0)).toBe(fields.state.length);
      expect(Buffer.from(fields.state).readBigUInt64LE(16)).toBe(BigInt(length));
      expectBytes(build(fields), state);
    }
  });
});

eachSubject((subject) => {
  const { algorithm, modes, blockLength } = subject;

  eachBackend((backend) => {
    const other = BACKENDS.find((name) => name !== backend)!;

    it("continues from every length and mode on the other build", () => {
      const every = [...edges(subject), ...Array(2 * blockLength + 2).keys()];
      const message = pattern(Math.max(...every) + TAIL);
      for (const [i, mode] of modes.entries()) {
        // What is saved and checked is the builds' common code.
        const lengths = i < 2 && backend === "simd128" ? every : smallEdges(subject);
        const totals = lengths.flatMap((length) => [length, length + TAIL]);
        const digests = new Map(totals.map((total) => [total, algorithm(message.subarray(0, total), mode)]));
        useBackend(backend);
        const states = lengths.map((length) => save(algorithm.create(mode).update(message.subarray(0, length))));
        useBackend(other);
        for (const [i, length] of lengths.entries()) {
          const hasher = restore(algorithm, states[i]!);
          expectBytes(hasher.digest(), digests.get(length), `${length} bytes`);
          hasher.update(message.subarray(length, length + TAIL));
          expectBytes(hasher.digest(), digests.get(length + TAIL), `${length} bytes and more`);
        }
      }
    });

    it("writes the same state on the other build", () => {
      const saveAll = () =>
        smallEdges(subject).map((length) => save(algorithm.create(modes[1]).update(pattern(length))));
      const here = saveAll();
      useBackend(other);
      for (const [i, state] of saveAll().entries()) expectBytes(state, here[i]);
    });

    it("leaves hasher and state apart from each other", () => {
      const hasher = algorithm.create().update(pattern(100));
      const state = save(hasher);
      const copy = state.slice();
      hasher.update(pattern(5000)).digest();
      const restored = restore(algorithm, state);
      restored.update(pattern(10)).digest();
      restored.dispose();
      expectBytes(state, copy);
      const second = restore(algorithm, state);
      state.fill(255);
      expectBytes(second.digest(), expected(subject, pattern(100)));
      expectBytes(hasher.digest(), expected(subject, Buffer.concat([pattern(100), pattern(5000)])));
    });

    it("keeps nothing of earlier blocks in a state", () => {
      const block = new Uint8Array(8 * blockLength).fill(0xa7);
      const state = save(algorithm.create().update(block).update("x"));
      const waiting = new DataView(parse(state).state.buffer).getUint32(4, true);
      const runs =
        Buffer.from(state)
          .toString("latin1")
          .match(/\xa7{9,}/g) ?? [];
      expect(runs.join("").length).toBeLessThan(waiting);
    });

    it("takes a view, a Buffer and shared memory; refuses every other kind", () => {
      const state = save(algorithm.create().update(pattern(99)));
      const padded = new Uint8Array(state.length + 20);
      padded.set(state, 7);
      const shared = new Uint8Array(new SharedArrayBuffer(state.length));
      shared.set(state);
      for (const kind of [padded.subarray(7, 7 + state.length), Buffer.from(state), shared]) {
        expectBytes(restore(algorithm, kind).digest(), expected(subject, pattern(99)));
      }
      const wrong = [...notBytes, ["text", "a string of length 4"], [state.buffer, "an object (ArrayBuffer)"]] as const;
      for (const [value, got] of [...wrong, [new DataView(state.buffer), "an object (DataView)"]] as const) {
        expectError(() => restore(algorithm, value as never), TypeError, "restore: state", got);
      }
    });

    it("throws after dispose", () => {
      const hasher = algorithm.create();
      hasher.dispose();
      expectError(() => save(hasher), Error, algorithm.algorithm, "save", "dispose");
    });
  }, subject.name);
});
