// Nothing secret stays in WebAssembly memory: not after a one-shot, an error, a reset, a disposal, a change of hashers or of
// backends. Each way of use runs twice, with secrets of the same lengths and other contents; what memory then holds may not
// tell which of the two it was. What the kernels themselves leave, the proofs show (test/evidence/prove): here are the lengths
// at which the TypeScript takes another way.
import { type Algorithm, type Hasher, useBackend, type Xof } from "blake-simd";
import {
  chainingValue,
  mergeSubtrees,
  rootOf,
  rootXof,
  SubtreeCollector,
  SubtreeGroupHasher,
  SubtreeHasher,
} from "blake-simd/hazmat";
import { hmac } from "blake-simd/hmac";
import { restore, save } from "blake-simd/states";
import { describe, expect, it } from "vitest";
import { BACKENDS } from "../support/backends.ts";
import { differingAreas, watchInstances } from "../support/memory.ts";
import { AREA, expectBytes } from "../support/messages.ts";
import { type CommonOptions, eachSubject, type Subject } from "../support/subjects.ts";

/** Of the kernels that merge subtrees. */
const trees: WebAssembly.Memory[] = [];
const instances = watchInstances(trees);

const KIB = 1024;
const LENGTHS = [1, 128, 700, 5000, AREA, 3 * AREA];

/** A message, what keys are cut from, and bytes of any other kind. */
interface Secret {
  readonly message: Uint8Array | string;
  readonly key: Uint8Array;
  readonly bytes: Uint8Array;
}

function secretOf(byte: number, text: string, length: number): Secret[] {
  const bytes = new Uint8Array(300 * KIB).map((_, i) => byte + Math.imul(i, byte));
  const key = bytes.subarray(1, 65);
  return [bytes.subarray(0, length), text.repeat(length).slice(0, length)].map((message) => ({ message, key, bytes }));
}

/** Secrets that are alike in their lengths alone: bytes, and text. */
const pairs = LENGTHS.map((length) => [secretOf(7, "éa", length), secretOf(211, "öb", length)]);

type Use = (secret: Secret, subject: Subject) => void;

/** The areas of memory that tell which of two secrets was used, under any length and kind of message. */
function tellingAreas(subject: Subject, use: Use): string[] {
  const snapshots = (secret: Secret): Uint8Array[] => {
    use(secret, subject);
    return [...instances.map(({ bytes }) => bytes), ...trees.map(({ buffer }) => new Uint8Array(buffer))].map((bytes) =>
      bytes.slice(),
    );
  };
  // Instances are made at the first use.
  use(pairs[0]![0]![0]!, subject);
  const telling = pairs.flatMap(([first, second]) =>
    first!.flatMap((secret, kind) => {
      const [before, after] = [snapshots(secret), snapshots(second![kind]!)];
      expect(after).toHaveLength(before.length);
      return before.flatMap((bytes, i) => differingAreas(bytes, after[i]!));
    }),
  );
  return [...new Set(telling)].sort();
}

/** What each secret is used with: keys of the secret, and modes without one; also outputs past the output area. */
function optionsOf({ name, lengths, secretFrom, longest }: Subject, { key }: Secret): CommonOptions[] {
  const own = secretFrom(key);
  const options: CommonOptions[] = [{}, own];
  if (lengths.includes(20)) options.push({ ...own, length: 20 });
  if (longest >= 40_000) options.push({ ...own, length: 40_000 }, { length: 40_000 });
  if (name === "blake3") options.push({ context: key });
  return options;
}

function eachHasher(secret: Secret, subject: Subject, use: (hasher: Hasher & { xof?(): Xof }) => void): void {
  for (const options of optionsOf(subject, secret)) use(subject.algorithm.create(options).update(secret.message));
}

const uses: Record<string, Use> = {
  "one-shots with options"(secret, subject) {
    for (const options of optionsOf(subject, secret)) subject.algorithm(secret.message, options);
  },
  "one-shots into an output"(secret, subject) {
    for (const options of optionsOf(subject, secret)) {
      subject.algorithm.into(secret.message, new Uint8Array(options.length ?? 64), options);
    }
  },
  "many, of one length and of several"({ message, key }, { algorithm, secretFrom }) {
    for (const count of [3, 61]) {
      const messages = Array.from({ length: count }, (_, i) => message.slice(0, 1024 - 7 * i));
      algorithm.many(messages, secretFrom(key));
      algorithm.many(new Array(count).fill(message.slice(0, 1000)), secretFrom(key));
    }
    algorithm.many([message, message, message], secretFrom(key));
  },
  "many that fails midway"({ bytes, key }, { algorithm, secretFrom }) {
    const inputs = Array.from({ length: 9 }, () => bytes.slice(0, AREA / 2));
    const options = {
      ...secretFrom(key),
      get color() {
        structuredClone(undefined, { transfer: [inputs[7]!.buffer] });
        return undefined;
      },
    };
    expect(() => algorithm.many(inputs, options as never)).toThrow();
  },
  "calls that throw"({ message, key }, { algorithm, secretFrom }) {
    const own = secretFrom(key);
    for (const more of [{ length: -1 }, { fanout: 999 }, { lastNode: 1 }, { context: 5 }, { unknown: 1 }]) {
      const options = { ...own, ...more } as never;
      expect(() => algorithm(message, options)).toThrow();
      expect(() => algorithm.into(message, new Uint8Array(64), options)).toThrow();
      expect(() => algorithm.create(options)).toThrow();
    }
    expect(() => algorithm.into(message, new Uint8Array(3), own)).toThrow(RangeError);
    expect(() => algorithm.into(message, new Uint8Array(3))).toThrow(RangeError);
  },
  "hashers that are disposed of"(secret, subject) {
    eachHasher(secret, subject, (hasher) => {
      hasher.digest();
      hasher.update(secret.message).dispose();
    });
    // Last, as a digest wipes what `create` has left.
    eachHasher(secret, subject, (hasher) => hasher.dispose());
  },
  "numbers in a hasher that is disposed of"({ bytes }, { algorithm }) {
    const byte = bytes[0]!;
    algorithm.create().updateUint8(byte).updateUint32BE(byte).updateUint64LE(BigInt(byte)).dispose();
    algorithm.create().updateFloat32LE(byte).updateFloat64LE(byte).dispose();
  },
  "hashers that are reset, and their digests"(secret, subject) {
    eachHasher(secret, subject, (hasher) => hasher.reset());
    eachHasher(secret, subject, (hasher) => {
      hasher.digest();
      hasher.update(secret.message).reset();
    });
  },
  "hashers that are moved out for another"(secret, subject) {
    const other = subject.algorithm.create();
    eachHasher(secret, subject, (hasher) => {
      hasher.digest();
      other.update("a public message");
      hasher.dispose();
    });
    other.dispose();
  },
  "states that are saved and restored"(secret, subject) {
    eachHasher(secret, subject, (hasher) => {
      const saved = save(hasher);
      hasher.dispose();
      restore(subject.algorithm, saved).dispose();
    });
  },
  "clones, and their originals, which stay as they were"(secret, subject) {
    eachHasher(secret, subject, (hasher) => {
      const wanted = hasher.digest();
      hasher.clone().update(secret.message).dispose();
      expectBytes(hasher.digest(), wanted);
      hasher.dispose();
    });
  },
  "readers of output"(secret, subject) {
    eachHasher(secret, subject, (hasher) => {
      const readers = hasher.xof ? [hasher.xof(), hasher.xof()] : [];
      hasher.dispose();
      for (const [i, reader] of readers.entries()) {
        reader.position = i;
        if (i > 0) reader.read(hasher.digestLength - 1);
        reader.dispose();
      }
    });
  },
};

const hmacs: Record<string, Use> = {
  "HMACs, disposed of or at once"({ key, message }, { algorithm }) {
    const mac = hmac.create(algorithm, key).update(message);
    const code = mac.digest();
    mac.dispose();
    expectBytes(hmac(algorithm, key, message), code);
  },
};

const subtrees: Record<string, Use> = {
  "subtrees, which are merged"({ bytes }) {
    const key = bytes.subarray(0, 32);
    const [left, right] = [chainingValue(bytes.subarray(0, 70 * KIB), { key, offset: 2 ** 40 }), bytes.slice(5, 37)];
    mergeSubtrees(left, right, { key });
    rootOf(left, right, { key });
    const xof = rootXof(left, right, { key });
    xof.read(64);
    xof.dispose();
  },
  "hashers of subtrees and of groups"({ bytes }) {
    const key = bytes.subarray(0, 32);
    for (const length of [3000, 290 * KIB]) {
      for (const hasher of [new SubtreeHasher({ key }), new SubtreeGroupHasher({ key, group: KIB })]) {
        hasher.update(bytes.subarray(0, length)).chainingValue();
        if (hasher instanceof SubtreeGroupHasher) hasher.groupValues();
        hasher.update(bytes.subarray(0, 100)).dispose();
      }
    }
  },
  "collectors of few and many values"({ bytes }) {
    for (const count of [2, 3, 1030]) {
      const collector = new SubtreeCollector(count * KIB, KIB, { key: bytes.subarray(0, 32) });
      for (let i = 0; i < count; i++) collector.set(i * KIB, bytes.subarray(i, i + 32));
      collector.digest();
      collector.digest({ length: 100 });
      const xof = collector.xof();
      xof.read(64);
      xof.dispose();
      collector.dispose();
    }
  },
  "values of groups, the part's or not"({ bytes }) {
    const options = { key: bytes.subarray(0, 32), group: KIB };
    const hasher = new SubtreeGroupHasher(options).update(bytes.subarray(0, 4 * KIB));
    const [value, groups] = [hasher.chainingValue(), hasher.groupValues()];
    hasher.dispose();
    const collector = new SubtreeCollector(8 * KIB, 4 * KIB, options);
    collector.set(0, value, groups);
    expect(() => collector.set(4 * KIB, value, bytes.subarray(0, 128))).toThrow("groupValues");
    collector.dispose();
  },
};

describe.each(BACKENDS)("%s", (backend) => {
  const other = () => useBackend(backend === "baseline" ? "simd128" : "baseline");

  eachSubject((subject) => {
    const algorithm = subject.algorithm as Algorithm<CommonOptions>;

    /** New instances are the only ones that are looked at. */
    function fresh(): void {
      other();
      useBackend(backend);
      for (const list of [instances, trees]) list.length = 0;
      algorithm("", {});
    }

    it("a secret that is in memory is seen there", () => {
      fresh();
      const live: Hasher[] = [];
      const areas = tellingAreas(subject, ({ message, key }) => {
        live.push(algorithm.create(subject.secretFrom(key)).update(message));
        algorithm(message);
        live.at(-1)!.update(message);
      });
      expect(areas).toEqual(expect.arrayContaining(["INPUT", "OUTPUT"]));
      for (const hasher of live) hasher.dispose();
    });

    it("plain calls leave their digests alone", () => {
      fresh();
      const areas = tellingAreas(subject, ({ message }) => {
        algorithm.many(new Array(40).fill(message.slice(0, 1000)));
        algorithm.many([message, message, message]);
        algorithm(message);
        algorithm.into(message, new Uint8Array(64));
      });
      expect(areas).toEqual(["OUTPUT"]);
    });

    const own = {
      ...uses,
      ...(/^blake(256|2b|3)$/.test(subject.name) && hmacs),
      ...(subject.name === "blake3" && subtrees),
    };
    it.each(Object.entries(own))("nothing is left of %s", (_, use) => {
      fresh();
      expect(tellingAreas(subject, use)).toEqual([]);
      if (use === subtrees["collectors of few and many values"]) expect(trees).not.toHaveLength(0);
    });

    it("a change of backend leaves nothing in the old one", () => {
      const old = pairs[0]!.map(([secret]) => {
        fresh();
        const hasher = algorithm.create(subject.secretFrom(secret!.key)).update(secret!.bytes.subarray(0, 5000));
        const { bytes } = instances[0]!;
        other();
        hasher.dispose();
        return bytes;
      });
      expect(differingAreas(old[0]!, old[1]!)).toEqual([]);
    });
  });
});
