// Long reads of extendable output while hashers' bytes wait in the kernel: once, a read of more than the output area
// zeroed them.
import type { Hasher, Xof } from "blake-simd";
import { describe, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { AREA, expectBytes, pattern } from "../support/messages.ts";
import { Neighbours } from "../support/neighbours.ts";
import { expected, type Subject, subjects } from "../support/subjects.ts";

/** Bytes of the kernel's output area (js/engine/memory.ts). */
const OUTPUT = 0x4000;
const LENGTHS = [0, 1, OUTPUT - 1, OUTPUT, OUTPUT + 1, 20_000, 2 * OUTPUT, AREA, AREA + 1, 3 * AREA + 5];

type Extendable = Hasher & { xof(): Xof };

const seed = pattern(50);
const message = pattern(700);

function create({ algorithm }: Subject, length?: number): Extendable {
  return algorithm.create(length === undefined ? {} : { length }) as Extendable;
}

/** Reads of this many bytes, in one algorithm of those that share a kernel with the hasher. */
const READS: Record<string, (reader: Xof, length: number) => Uint8Array> = {
  read: (reader, length) => reader.read(length),
  readInto: (reader, length) => reader.readInto(new Uint8Array(length)),
};

eachBackend(() => {
  describe.each(subjects.filter(({ longest }) => longest > OUTPUT))("$name", (reading) => {
    const beside = subjects.filter(({ kernel }) => kernel === reading.kernel);
    const lengths = LENGTHS.filter((length) => length >= 1 && length <= reading.longest);

    it.each(Object.entries(READS))("%s leaves hashers as they were", (_, read) => {
      for (const length of lengths) {
        const reader = create(reading, length).update(seed).xof();
        const neighbours = new Neighbours(reading);
        for (const [i, subject] of beside.entries()) {
          const hasher = subject.algorithm.create().update(message);
          reader.position = 0;
          expectBytes(read(reader, length), expected(reading, seed, { length }), `${length} bytes`);
          expectBytes(hasher.digest(), expected(subject, message), `${subject.name} beside ${length} bytes`);
          neighbours.prepare(i);
          reader.position = 0;
          read(reader, length);
          neighbours.check(`${length} bytes`);
        }
      }
    });

    it("leaves the hasher that has given the reader as it was", () => {
      for (const length of lengths) {
        const hasher = create(reading, length).update(seed);
        const reader = hasher.xof();
        hasher.update(message);
        reader.read(length);
        const wanted = expected(reading, Buffer.concat([seed, message]), { length });
        expectBytes(hasher.digest(), wanted, `after ${length} bytes`);
      }
    });

    it("long digests in one call leave hashers as they were", () => {
      const neighbours = new Neighbours(reading);
      for (const [i, length] of lengths.entries()) {
        neighbours.prepare(i);
        const wanted = expected(reading, seed, { length });
        expectBytes(reading.algorithm(seed, { length }), wanted, `${length} bytes`);
        neighbours.check(`${length} bytes`);
        neighbours.prepare(i + 1);
        expectBytes(reading.algorithm.into(seed, new Uint8Array(length), { length }), wanted, `into ${length} bytes`);
        neighbours.check(`into ${length} bytes`);
        neighbours.prepare(i + 2);
        for (const digest of reading.algorithm.many([seed, seed], { length })) expectBytes(digest, wanted);
        neighbours.check(`many of ${length} bytes`);
      }
    });
  });
});
