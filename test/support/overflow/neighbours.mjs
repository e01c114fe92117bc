// The objects beside a call, which it must leave as they were.
import { hexOf, same } from "./expectations.mjs";
import { LONG_PENDING, PENDING, secretOptions } from "./messages.mjs";

/** Algorithms that share a kernel, so that each is next to the others. */
const KERNELS = [
  ["blake224", "blake256"],
  ["blake384", "blake512"],
  ["blake2b", "blake2bp", "blake2xb"],
  ["blake2s", "blake2sp", "blake2xs"],
  ["blake3"],
];

/** Objects of all algorithms of one kernel: some hold what they need in the kernel's memory, some in their own. */
export class Neighbours {
  constructor(main, beside, digest) {
    const names = (KERNELS.find((list) => list.includes(beside)) ?? [beside]).filter((name) => main.algorithms[name]);
    this.hashers = names.flatMap((name) =>
      [
        { options: undefined, pending: PENDING },
        { options: plainSecret(name), pending: LONG_PENDING },
      ].map(({ options, pending }) => {
        const hasher = main.algorithms[name].create(options);
        return { name, hasher, pending, wanted: digest(name, pending, options) };
      }),
    );
    this.readers = names
      .filter((name) => name === "blake3" || name.startsWith("blake2x"))
      .map((name) => ({
        name,
        reader: main.algorithms[name].create({ length: 300 }).update(PENDING).xof(),
        wanted: digest(name, PENDING, { length: 300 }),
      }));
  }

  /** One of them becomes the state's owner, with bytes that no state has absorbed; the others move out. */
  prepare(index) {
    for (let i = 1; i <= this.hashers.length; i++) {
      const { hasher, pending } = this.hashers[(index + i) % this.hashers.length];
      hasher.reset().update(pending);
    }
  }

  check(where = "a call") {
    for (const { name, hasher, wanted } of this.hashers) {
      same(`a ${name} hasher beside ${where}`, hasher.digest("hex"), wanted);
    }
    for (const { name, reader, wanted } of this.readers) {
      reader.position = 0;
      same(`a ${name} reader beside ${where}`, hexOf(reader.read(300)), wanted);
    }
  }
}

/** A key that the calls do not have: it may be found in memory. */
function plainSecret(name) {
  const [[option, value]] = Object.entries(secretOptions(name));
  return { [option]: value.map((byte) => byte ^ 255) };
}
