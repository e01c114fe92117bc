// Every key length and every digest length; salts and personalizations.
import { blake2b as nobleBlake2b, blake2s as nobleBlake2s } from "@noble/hashes/blake2.js";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { type Algorithm, blake2b, blake2s, blake2xb, blake2xs, blake3 } from "blake-simd";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { expectBytes, pattern, smallEdges } from "../support/messages.ts";
import { type CommonOptions, eachSubject, expected, keyOf, type Subject } from "../support/subjects.ts";

const message = pattern(4096);

/** Options with the independent digest of a message that they belong to. */
interface Case {
  readonly options: CommonOptions;
  readonly message: Uint8Array;
  readonly digest: Uint8Array;
}

/**
 * Each key length with some digest lengths, and each digest length with some keys; an undefined one is no such option.
 */
function cases(subject: Subject): Case[] {
  const [keyLengths, lengths] = [subject.keyLengths, subject.lengths].map((given) => [undefined, ...given]);
  const some = (all: (number | undefined)[], turn: number) => [undefined, all[turn % all.length], all.at(-1)];
  const pairs = [
    ...keyLengths!.flatMap((keyLength, i) => some(lengths!, 5 * i).map((length) => [keyLength, length])),
    ...lengths!.flatMap((length, i) => some(keyLengths!, 3 * i).map((keyLength) => [keyLength, length])),
  ];
  return pairs.map(([keyLength, length], i) => {
    const options = { ...(keyLength && { key: keyOf(keyLength) }), ...(length !== undefined && { length }) };
    const bytes = message.subarray(0, (i * 31) % (3 * subject.blockLength));
    return { options, message: bytes, digest: expected(subject, bytes, options) };
  });
}

/** Messages whose last block is empty, short and full, under each mode. */
function edgeCases(subject: Subject): Case[] {
  return subject.modes.flatMap((options) =>
    smallEdges(subject).map((length) => {
      const bytes = message.subarray(0, length);
      return { options, message: bytes, digest: expected(subject, bytes, options) };
    }),
  );
}

function check(subject: Subject, table: readonly Case[]): void {
  const { algorithm } = subject;
  eachBackend(() => {
    it("one-shot", () => {
      for (const { options, message, digest } of table) expectBytes(algorithm(message, options), digest);
    });

    it("one-shot into an output", () => {
      for (const { options, message, digest } of table) {
        expectBytes(algorithm.into(message, new Uint8Array(digest.length), options), digest);
      }
    });

    it("incremental, with the length that was asked for", () => {
      for (const { options, message, digest } of table) {
        const hasher = algorithm.create(options).update(message);
        expect(hasher.digestLength).toBe(digest.length);
        expectBytes(hasher.digest(), digest);
      }
    });
  }, subject.name);
}

eachSubject((subject) => {
  describe("every key length and every digest length", () => check(subject, cases(subject)));
  describe("every mode at edges of blocks and chunks", () => check(subject, edgeCases(subject)));

  it("gives no two of a key's lengths the same digest", () => {
    const digests = subject.keyLengths.map((length) => subject.algorithm("", { key: new Uint8Array(length) }));
    expect(new Set(digests.map((digest) => Buffer.from(digest).toString("hex"))).size).toBe(subject.keyLengths.length);
  });

  it("leaves messages, keys and contexts as they were", () => {
    for (const options of subject.modes) {
      const [copied, text] = [structuredClone(options), message.slice(0, 1500)];
      subject.algorithm(text, options);
      subject.algorithm.into(text, new Uint8Array(200), options);
      subject.algorithm.create(options).update(text).dispose();
      expect(options).toEqual(copied);
      expect(text).toEqual(message.slice(0, 1500));
    }
  });

  it("keeps its own copy of the key: the caller may wipe or reuse the one passed in", () => {
    for (const length of subject.keyLengths) {
      const key = keyOf(length);
      const hasher = subject.algorithm.create({ key });
      key.fill(0);
      const wanted = expected(subject, message, { key: keyOf(length) });
      expectBytes(hasher.update(message).digest(), wanted);
      expectBytes(hasher.reset().update(message).digest(), wanted);
    }
  });
});

describe.each([
  { ours: blake2b, noble: nobleBlake2b, saltLength: 16 },
  { ours: blake2s, noble: nobleBlake2s, saltLength: 8 },
])("$ours.algorithm salt and personal", ({ ours, noble, saltLength }) => {
  eachBackend(() => {
    it("agrees with the independent implementation, which wants them padded with zeros", () => {
      const field = fc.uint8Array({ maxLength: saltLength });
      const padded = (bytes: Uint8Array) => Uint8Array.from({ ...bytes, length: saltLength });
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 300 }), field, field, (bytes, salt, personal) => {
          const wanted = noble(bytes, { salt: padded(salt), personalization: padded(personal) });
          expectBytes(ours(bytes, { salt, personal }), wanted);
          expectBytes(ours.create({ salt, personal }).update(bytes).digest(), wanted);
        }),
      );
    });
  }, ours.algorithm);
});

describe("a BLAKE3 context of any length", () => {
  const lengths = [
    ...Array(2 * 1024 + 66).keys(),
    ...[3, 4, 8, 16, 17].flatMap((n) => [n * 1024 - 1, n * 1024, n * 1024 + 1]),
  ];
  const contexts = lengths.map((length) => pattern(length));
  const wanted = contexts.map((context) => nobleBlake3(message.subarray(0, 100), { context }));

  eachBackend(() => {
    it("agrees with the independent implementation, beside a hasher that is in use", () => {
      const neighbour = blake3.create({ key: keyOf(32) }).update(message);
      for (const [i, context] of contexts.entries()) {
        expectBytes(blake3(message.subarray(0, 100), { context }), wanted[i]!);
        expectBytes(blake3.create({ context }).update(message.subarray(0, 100)).digest(), wanted[i]!);
      }
      expectBytes(neighbour.digest(), nobleBlake3(message, { key: keyOf(32) }));
    });
  });
});

describe("text is its UTF-8", () => {
  const utf8 = (text: string) => new TextEncoder().encode(text);

  it.each([
    [blake2b, { salt: "ключ", personal: "漢字" }],
    [blake2s, { salt: "ключ", personal: "漢字" }],
    [blake2xb, { salt: "ключ", personal: "漢字" }],
    [blake2xs, { salt: "ключ", personal: "漢字" }],
    [blake3, { context: "ключ" }],
  ] as [Algorithm, object][])("as options of $algorithm", (algorithm, options) => {
    const bytes = Object.fromEntries(Object.entries(options).map(([option, text]) => [option, utf8(text)]));
    expect(algorithm("m", options)).toEqual(algorithm("m", bytes));
    expect(algorithm("m", options)).not.toEqual(algorithm("m"));
  });
});
