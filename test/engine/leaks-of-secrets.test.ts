// Nothing secret stays in WebAssembly memory: not after a one-shot, an error, a reset, a disposal, a change of hashers or
// of backends. Each way of use runs twice, with secrets of the same lengths and other contents; what memory then holds
// may not tell which of the two it was: no key, no message, no state and no chaining value.
import { type Backend, type Hasher, useBackend } from "blake-simd";
import { hmac } from "blake-simd/hmac";
import { restore, save } from "blake-simd/states";
import { describe, expect, it } from "vitest";
import { arraysMadeDuring, isOfKernel } from "../support/arrays.ts";
import { BACKENDS } from "../support/backends.ts";
import { differingAreas, type Watched, watchInstances } from "../support/memory.ts";
import { AREA, expectBytes } from "../support/messages.ts";
import { type CommonOptions, eachSubject, type Subject } from "../support/subjects.ts";

const instances = watchInstances();

const LENGTHS = [1, 31, 64, 65, 128, 700, 1024, 1025, 2048, 5000, 17_408, AREA, AREA + 1, 3 * AREA];

/** A message and the bytes that keys are cut from. */
interface Secret {
  readonly message: Uint8Array | string;
  readonly key: Uint8Array;
}

const secrets = [
  { byte: 7, text: "éa" },
  { byte: 211, text: "öb" },
];

/** Two pairs, of bytes and of text, that are alike in their lengths alone. */
function pairs(length: number): Secret[][] {
  const bytes = secrets.map(({ byte }) => ({ message: new Uint8Array(length).fill(byte), key: keyBytes(byte) }));
  const text = secrets.map(({ byte, text }) => ({
    message: text.repeat(length).slice(0, length),
    key: keyBytes(byte),
  }));
  return [bytes, text];
}

function keyBytes(byte: number): Uint8Array {
  return new Uint8Array(64).fill(byte + 1);
}

/** A fresh instance of the algorithm's kernel. */
function freshInstance({ algorithm }: Subject, backend: Backend): Watched {
  useBackend(backend === "baseline" ? "simd128" : "baseline");
  useBackend(backend);
  algorithm("", {});
  return instances.at(-1)!;
}

/** The areas whose contents reveal which of two secrets was used, under any length and kind of message. */
function tellingAreas(watched: Watched, use: (secret: Secret) => void): string[] {
  const telling = LENGTHS.flatMap(pairs).flatMap((pair) => {
    const [first, second] = pair.map((secret) => {
      use(secret);
      return watched.bytes.slice();
    });
    return differingAreas(first!, second!);
  });
  return [...new Set(telling)].sort();
}

/** What each secret is used with: keys of the secret, and modes without one; also outputs past the output area. */
function optionsOf({ name, lengths, secretFrom, longest }: Subject, { key }: Secret): CommonOptions[] {
  const own = secretFrom(key);
  const options: CommonOptions[] = [{}, own];
  if (lengths.includes(20)) options.push({ ...own, length: 20 });
  if (longest >= 40_000) options.push({ ...own, length: 40_000 }, { length: 40_000 });
  if (name === "blake3") options.push({ context: Uint8Array.of(1, 2) });
  return options;
}

eachSubject((subject) => {
  const { algorithm } = subject;

  function eachHasher(secret: Secret, use: (hasher: Hasher) => void): void {
    for (const options of optionsOf(subject, secret)) use(algorithm.create(options).update(secret.message));
  }

  describe.each(BACKENDS)("%s", (backend) => {
    it("a secret that is in memory is seen there", () => {
      const watched = freshInstance(subject, backend);
      const live: Hasher[] = [];
      const areas = tellingAreas(watched, ({ message, key }) => {
        live.push(algorithm.create(subject.secretFrom(key)).update(message));
        algorithm(message);
        live.at(-1)!.update(message);
      });
      expect(areas).toEqual(expect.arrayContaining(["INPUT", "OUTPUT"]));
      for (const hasher of live) hasher.dispose();
    });

    it("a plain one-shot leaves its digest alone", () => {
      const watched = freshInstance(subject, backend);
      const areas = tellingAreas(watched, ({ message }) => {
        algorithm(message);
        algorithm.into(message, new Uint8Array(64));
      });
      expect(areas).toEqual(["OUTPUT"]);
    });

    it("a one-shot with options leaves nothing", () => {
      const watched = freshInstance(subject, backend);
      const areas = tellingAreas(watched, (secret) => {
        for (const options of optionsOf(subject, secret)) algorithm(secret.message, options);
      });
      expect(areas).toEqual([]);
    });

    it("a one-shot with options, into an output, leaves nothing", () => {
      const watched = freshInstance(subject, backend);
      const areas = tellingAreas(watched, (secret) => {
        for (const options of optionsOf(subject, secret)) {
          algorithm.into(secret.message, new Uint8Array(options.length ?? 64), options);
        }
      });
      expect(areas).toEqual([]);
    });

    it("a call that throws leaves nothing", () => {
      const watched = freshInstance(subject, backend);
      const wrong = [{ length: -1 }, { fanout: 999 }, { lastNode: 1 }, { context: 5 }, { unknown: 1 }];
      const areas = tellingAreas(watched, ({ message, key: { buffer } }) => {
        const own = subject.secretFrom(new Uint8Array(buffer));
        for (const more of wrong) {
          const options = { ...own, ...more } as never;
          expect(() => algorithm(message, options)).toThrow();
          expect(() => algorithm.into(message, new Uint8Array(64), options)).toThrow();
          expect(() => algorithm.create(options)).toThrow();
        }
        expect(() => algorithm.into(message, new Uint8Array(3), own)).toThrow(RangeError);
        expect(() => algorithm.into(message, new Uint8Array(3))).toThrow(RangeError);
      });
      expect(areas).toEqual([]);
    });

    it("a hasher that is disposed of leaves nothing", () => {
      const watched = freshInstance(subject, backend);
      const areas = tellingAreas(watched, (secret) => {
        eachHasher(secret, (hasher) => hasher.dispose());
        eachHasher(secret, (hasher) => {
          hasher.digest();
          hasher.update(secret.message).dispose();
        });
      });
      expect(areas).toEqual([]);
    });

    it("a state that is saved and restored leaves nothing", () => {
      const watched = freshInstance(subject, backend);
      const areas = tellingAreas(watched, (secret) =>
        eachHasher(secret, (hasher) => {
          const saved = save(hasher);
          hasher.dispose();
          restore(algorithm, saved).dispose();
        }),
      );
      expect(areas).toEqual([]);
    });

    it("a hasher that is reset leaves nothing, not even its last digest", () => {
      const watched = freshInstance(subject, backend);
      const areas = tellingAreas(watched, (secret) => {
        eachHasher(secret, (hasher) => hasher.reset());
        eachHasher(secret, (hasher) => {
          hasher.digest();
          hasher.update(secret.message).reset();
        });
      });
      expect(areas).toEqual([]);
    });

    it("a hasher that is moved out for another leaves nothing", () => {
      const watched = freshInstance(subject, backend);
      const other = algorithm.create();
      const areas = tellingAreas(watched, (secret) => {
        other.reset();
        eachHasher(secret, (hasher) => {
          hasher.digest();
          other.update("a public message");
          hasher.dispose();
        });
      });
      expect(areas).toEqual([]);
    });

    it("a hasher that is disposed of wipes all its arrays", () => {
      freshInstance(subject, backend);
      const hashers: Hasher[] = [];
      const own = subject.secretFrom(keyBytes(9));
      const made = arraysMadeDuring(() => {
        for (const length of [1, 100, 3000, 5000, AREA, 3 * AREA]) {
          hashers.push(algorithm.create(own));
          for (const hasher of hashers) hasher.update(new Uint8Array(length).fill(5)).update("beside");
        }
        for (const hasher of hashers) hasher.update("at the end");
      }).filter((array) => !isOfKernel(array) && !array.every((byte) => byte === 5));
      expect(made.some((array) => array.some((byte) => byte !== 0))).toBe(true);
      for (const hasher of hashers) hasher.dispose();
      expect(made.filter((array) => array.some((byte) => byte !== 0))).toEqual([]);
    });

    it("a clone that is disposed of leaves nothing, and the original as it was", () => {
      const watched = freshInstance(subject, backend);
      const areas = tellingAreas(watched, (secret) => {
        eachHasher(secret, (hasher) => {
          const wanted = hasher.digest();
          hasher.clone().update(secret.message).dispose();
          expectBytes(hasher.digest(), wanted);
          hasher.dispose();
        });
      });
      expect(areas).toEqual([]);
    });

    if (/^blake(256|2b|3)$/.test(subject.name)) {
      it("an HMAC that is disposed of, or that a call computes, leaves nothing", () => {
        const watched = freshInstance(subject, backend);
        const areas = tellingAreas(watched, ({ key, message }) => {
          const mac = hmac.create(algorithm, key).update(message);
          const code = mac.digest();
          mac.dispose();
          expectBytes(hmac(algorithm, key, message), code);
        });
        expect(areas).toEqual([]);
      });
    }

    it("a change of backend leaves nothing in the old one", () => {
      const old = pairs(5000)[0]!.map(({ key, message }) => {
        const watched = freshInstance(subject, backend);
        const hasher = algorithm.create(subject.secretFrom(key)).update(message);
        useBackend(backend === "baseline" ? "simd128" : "baseline");
        hasher.dispose();
        return watched.bytes;
      });
      expect(differingAreas(old[0]!, old[1]!)).toEqual([]);
    });
  });
});
