// Objects beside the one under test, in all algorithms of its kernel: what they give shows whether a call has touched
// bytes that are not its own.
import type { Hasher, Xof } from "blake-simd";
import { expectBytes, pattern } from "./messages.ts";
import { type CommonOptions, expected, keyOf, type Subject, subjects } from "./subjects.ts";

const OUTPUT = 300;
const pending = pattern(90);
const long = pattern(3000);

interface Beside {
  readonly subject: Subject;
  readonly hasher: Hasher;
  readonly message: Uint8Array;
  readonly wanted: Uint8Array;
}

/** Hashers and readers; the last hasher that was prepared owns the state, and its message's bytes wait in the kernel. */
export class Neighbours {
  readonly #hashers: Beside[];
  readonly #readers: { subject: Subject; reader: Xof; wanted: Uint8Array }[];

  constructor(subject: Subject) {
    const all = subjects.filter((each) => each.kernel === subject.kernel);
    this.#hashers = all.flatMap((each) => [beside(each, pending, {}), beside(each, long, each.secretFrom(keyOf(64)))]);
    this.#readers = all.filter(({ longest }) => longest > OUTPUT).map((each) => readerOf(each));
  }

  /** Makes one of the hashers the state's owner. */
  prepare(index: number): void {
    for (let i = 1; i <= this.#hashers.length; i++) {
      const { hasher, message } = this.#hashers[(index + i) % this.#hashers.length]!;
      hasher.reset().update(message);
    }
  }

  check(where: string): void {
    for (const { subject, hasher, wanted } of this.#hashers) {
      expectBytes(hasher.digest(), wanted, `${where}: a ${subject.name} hasher beside it`);
    }
    for (const { subject, reader, wanted } of this.#readers) {
      reader.position = 0;
      expectBytes(reader.read(OUTPUT), wanted, `${where}: a ${subject.name} reader beside it`);
    }
  }
}

function beside(subject: Subject, message: Uint8Array, options: CommonOptions): Beside {
  const wanted = expected(subject, message, options);
  return { subject, hasher: subject.algorithm.create(options).update(message), message, wanted };
}

function readerOf(subject: Subject) {
  const options = { length: OUTPUT };
  const hasher = subject.algorithm.create(options) as Hasher & { xof(): Xof };
  return { subject, reader: hasher.update(pending).xof(), wanted: expected(subject, pending, options) };
}
