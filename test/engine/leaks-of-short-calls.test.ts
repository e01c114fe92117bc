// What only calls of certain sizes could leave in memory: short messages alone in the lanes, parts of a span of output on
// the C stack, a message that is cut off midway.
import { type Algorithm, type Backend, blake2b, blake2s, blake3, type Hasher, useBackend } from "blake-simd";
import { expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { differingAreas, memoryMap, watchInstances } from "../support/memory.ts";
import { AREA, expectBytes } from "../support/messages.ts";
import { expectedDigest } from "../support/oracle.ts";

const instances = watchInstances();

/** The areas that differ after the same calls with two secrets. */
function tellingAreas(backend: Backend, algorithm: Algorithm, use: (secret: Uint8Array) => void): string[] {
  useBackend(backend === "simd128" ? "baseline" : "simd128");
  useBackend(backend);
  algorithm("");
  const [first, second] = [7, 211].map((byte) => {
    use(new Uint8Array(2 * AREA).fill(byte));
    return instances.at(-1)!.bytes.slice();
  });
  return differingAreas(first!, second!);
}

eachBackend((backend) => {
  it.each([1, 40, 64, 65, 200, 1000, 1024])("many messages of %i bytes alone leave nothing", (length) => {
    for (const algorithm of [blake3, blake2b, blake2s]) {
      for (const count of [3, 20, 60, 61, 200]) {
        const areas = tellingAreas(backend, algorithm, (secret) => {
          algorithm.many(
            Array.from({ length: count }, () => secret.subarray(0, length)),
            { key: secret.subarray(0, 32) },
          );
        });
        expect(areas, `${algorithm.algorithm}, ${count} messages`).toEqual([]);
      }
    }
  });

  it.each([blake2s, blake3].map((algorithm) => [algorithm.algorithm, algorithm] as const))(
    "many messages with %s leave an input area of zeros",
    (_, algorithm) => {
      const start = memoryMap().get("INPUT")!;
      const bytes = new Uint8Array(AREA).fill(7);
      const long = bytes.subarray(0, AREA - 1);
      const short = Array.from({ length: 40 }, (_, i) => bytes.subarray(0, 900 + i));
      const texts = ["x".repeat(1000), "é".repeat(700), "€".repeat(1024), "€".repeat(AREA / 5)];
      for (const messages of [
        short,
        [...short, long],
        [long, long, ...short],
        [...texts, ...texts, ...short, ...texts],
      ]) {
        const digests = algorithm.many(messages);
        for (const { bytes } of instances) {
          expect(bytes.subarray(start, start + AREA).every((byte) => byte === 0)).toBe(true);
        }
        for (const [i, message] of messages.entries()) {
          const octets = typeof message === "string" ? new TextEncoder().encode(message) : message;
          expectBytes(digests[i]!, expectedDigest(algorithm.algorithm, octets));
        }
      }
    },
  );

  it.each([0, 1, 64, 200])("output of any length from byte %i on leaves nothing", (position) => {
    for (const length of [1, 64, 65, 129, 160, 191, 200, 255, 256, 257, 300, 700]) {
      const areas = tellingAreas(backend, blake3, (secret) => {
        const hasher = blake3.create({ key: secret.subarray(0, 32) }).update(secret.subarray(0, 100));
        const xof = hasher.xof();
        hasher.dispose();
        xof.position = position;
        xof.read(length);
        xof.dispose();
        blake3(secret.subarray(0, 100), { key: secret.subarray(0, 32), length });
      });
      expect(areas, `${length} bytes`).toEqual([]);
    }
  });

  it("a reader that is not read leaves nothing", () => {
    const areas = tellingAreas(backend, blake3, (secret) => {
      const hasher = blake3.create({ key: secret.subarray(0, 32) }).update(secret.subarray(0, 100));
      hasher.xof().dispose();
      hasher.dispose();
    });
    expect(areas).toEqual([]);
  });

  it("numbers leave nothing of a hasher that is disposed of", () => {
    for (const algorithm of [blake3, blake2b, blake2s]) {
      const updates: ((hasher: Hasher, byte: number) => Hasher)[] = [
        (hasher, byte) => hasher.updateUint8(byte),
        (hasher, byte) => hasher.updateUint16LE(byte),
        (hasher, byte) => hasher.updateUint32BE(byte),
        (hasher, byte) => hasher.updateUint64LE(BigInt(byte)),
        (hasher, byte) => hasher.updateFloat32LE(byte),
        (hasher, byte) => hasher.updateFloat64LE(byte),
      ];
      for (const update of updates) {
        const areas = tellingAreas(backend, algorithm, (secret) => {
          update(algorithm.create(), secret[0]!).dispose();
        });
        expect(areas, `${algorithm.algorithm}: ${update}`).toEqual([]);
      }
    }
  });

  it("many that fails midway leaves nothing, and the next is right", () => {
    for (const algorithm of [blake2b, blake2s, blake3] as Algorithm<{ length?: number; key?: Uint8Array }>[]) {
      let failures = 0;
      const areas = tellingAreas(backend, algorithm, (secret) => {
        const inputs = Array.from({ length: 9 }, () => secret.slice(0, AREA / 2));
        const options = {
          key: secret.subarray(0, 32),
          get length() {
            structuredClone(undefined, { transfer: [inputs[7]!.buffer] });
            return 32;
          },
        };
        try {
          algorithm.many(inputs, options);
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
          failures++;
        }
        algorithm("");
      });
      expect(failures).toBe(2);
      expect(areas, algorithm.algorithm).toEqual([]);
      const inputs = Array.from({ length: 9 }, (_, i) => new Uint8Array(AREA / 2).fill(i));
      for (const [i, digest] of algorithm.many(inputs).entries()) {
        expectBytes(digest, expectedDigest(algorithm.algorithm, inputs[i]!));
      }
    }
  });
});
