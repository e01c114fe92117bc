// What comes out: arrays of one's own, digests into outputs, encodings, and outputs longer than any buffer inside.
import { algorithms } from "blake-simd";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { runNode } from "../support/child.ts";
import { AREA, expectBytes, pattern } from "../support/messages.ts";
import { expectedDigest } from "../support/oracle.ts";
import { type CommonOptions, eachSubject, expected, subjects } from "../support/subjects.ts";

const message = pattern(2 * AREA);
const OUTPUT_AREA = 16 * 1024;

eachSubject((subject) => {
  const { algorithm, modes } = subject;

  eachBackend(() => {
    it("keeps a digest as it was while others are made", () => {
      const kept = modes.flatMap((options) => [
        { digest: algorithm(message.subarray(0, 100), options), options },
        { digest: algorithm.create(options).update(message.subarray(0, 100)).digest(), options },
      ]);
      for (let i = 0; i < 200; i++) {
        algorithm(message.subarray(0, i * 100), modes[i % modes.length]);
        algorithm.create().update(message.subarray(0, i)).digest();
      }
      for (const { digest, options } of kept) expectBytes(digest, expected(subject, message.subarray(0, 100), options));
    });

    it("returns arrays that own exactly their bytes", () => {
      for (const options of modes) {
        for (const digest of [algorithm("x", options), algorithm.create(options).update("x").digest()]) {
          expect(Object.getPrototypeOf(digest)).toBe(Uint8Array.prototype);
          expect(digest.byteOffset).toBe(0);
          expect(digest.buffer.byteLength).toBe(digest.length);
          expect(digest.buffer.byteLength).toBe(options.length ?? algorithm.digestLength);
        }
      }
      const hasher = algorithm.create();
      expect(hasher.digest().buffer).not.toBe(hasher.digest().buffer);
    });

    it("writes to an output that is the input, overlaps it, or is the key", () => {
      for (const length of [algorithm.digestLength + 1, 3000, AREA, AREA + 1000]) {
        for (const start of [0, 1]) {
          const bytes = message.slice(0, length);
          const wanted = expected(subject, bytes);
          algorithm.into(bytes, bytes.subarray(start));
          expectBytes(bytes.subarray(start, start + wanted.length), wanted);
        }
      }
      for (const { key } of modes) {
        if (key?.length !== algorithm.digestLength) continue;
        const output = key.slice();
        expectBytes(algorithm.into(message, output, { key: output }), expected(subject, message, { key }));
      }
    });

    it("writes to a Buffer, a view at an offset, and shared memory", () => {
      const wanted = expected(subject, message.subarray(0, 9));
      const outputs = [
        Buffer.alloc(wanted.length),
        new Uint8Array(new ArrayBuffer(wanted.length + 5), 5),
        new Uint8Array(new SharedArrayBuffer(wanted.length)),
      ];
      for (const output of outputs) {
        expectBytes(algorithm.into(message.subarray(0, 9), output), wanted);
        output.fill(0);
        expectBytes(algorithm.create().update(message.subarray(0, 9)).digestInto(output), wanted);
      }
    });
  }, subject.name);
});

const LENGTHS = [OUTPUT_AREA - 1, OUTPUT_AREA, OUTPUT_AREA + 1, 2 * OUTPUT_AREA, AREA - 1, AREA, AREA + 1, 200_003];
const extendable = subjects.filter(({ longest }) => longest > OUTPUT_AREA);

it("writes to an output in the first call of a process", () => {
  const digests = runNode(`
    import { algorithms } from "blake-simd";
    const write = (algorithm) => algorithm.into("abc", new Uint8Array(algorithm.digestLength));
    console.log(JSON.stringify(Object.values(algorithms).map((algorithm) => Buffer.from(write(algorithm)).toString("hex"))));
  `);
  expect(digests).toEqual(
    Object.keys(algorithms).map((name) => Buffer.from(expectedDigest(name, Buffer.from("abc"))).toString("hex")),
  );
});

describe.each(extendable)("$name outputs past 16 KiB and 64 KiB", (subject) => {
  const { algorithm, longest } = subject;
  const inputs = [0, 1, 64, 1025, AREA + 1].map((length) => message.subarray(0, length));
  const lengths = [...new Set(LENGTHS.map((length) => Math.min(length, longest)))];
  const kinds: CommonOptions[] = subject.modes.filter(({ length }) => length === undefined);
  // Each length under each kind and of each input, but not all triples: output comes from a state of one size.
  const table = kinds.flatMap((kind, k) =>
    lengths.map((length, i) => {
      const options = { ...kind, length };
      const input = inputs[(i + 2 * k) % inputs.length]!;
      return { options, input, wanted: expected(subject, input, options) };
    }),
  );

  eachBackend(() => {
    it("one-shot, into an output, and incremental", () => {
      for (const { options, input, wanted } of table) {
        expectBytes(algorithm(input, options), wanted);
        expectBytes(algorithm.into(input, new Uint8Array(wanted.length), options), wanted);
        const hasher = algorithm.create(options).update(input.subarray(0, 500));
        hasher.digest();
        expectBytes(hasher.update(input.subarray(500)).digest(), wanted);
      }
    });

    it("of text, and over the input", () => {
      const text = "长".repeat(AREA / 2);
      const bytes = new TextEncoder().encode(text);
      const length = Math.min(bytes.length, longest);
      const wanted = expected(subject, bytes, { length });
      expectBytes(algorithm(text, { length }), wanted);
      expectBytes(algorithm.into(bytes, bytes, { length }).subarray(0, length), wanted);
    });
  }, subject.name);
});
