// `many` with the kernel's areas exactly full, nearly full, or holding other bytes: where a lane's list or a message ends.
import { type Algorithm, blake2b, blake2s, blake3, useBackend } from "blake-simd";
import { describe, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { AREA, expectBytes, pattern } from "../support/messages.ts";
import { expectedDigest, type Options } from "../support/oracle.ts";

type Message = Uint8Array | string;

const bytesOf = (message: Message): Uint8Array =>
  typeof message === "string" ? new TextEncoder().encode(message) : message;

function expectDigests(algorithm: Algorithm<Options>, messages: Message[], options: Options = {}): void {
  for (const [i, digest] of algorithm.many(messages, options).entries()) {
    const message = messages[i] as Message;
    const wanted = expectedDigest(algorithm.algorithm, bytesOf(message), options);
    expectBytes(digest, wanted, `message ${i} of ${messages.length}, ${message.length} long`);
  }
}

/** Messages of up to 64 bytes, no two alike. */
const distinct = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, i) =>
    Uint8Array.from({ length: 4 + (i % 61) }, (_, at) => (i >> (8 * (at % 3))) + at),
  );

const blake2 = [blake2b, blake2s] as unknown as Algorithm<Options>[];
const long = pattern(3 * AREA);

eachBackend((backend) => {
  describe.each(blake2.map((algorithm) => [algorithm.algorithm, algorithm] as const))("%s", (_, algorithm) => {
    it.each([1023, 1024, 1025, 1030, 2048])("%i distinct short messages, with long ones after them", (count) => {
      expectDigests(algorithm, [
        ...distinct(count),
        ...Array.from({ length: 4 }, (_, i) => long.subarray(i, 9000 + i)),
      ]);
      expectDigests(algorithm, [...distinct(count), ...Array.from({ length: 3 }, (_, i) => long.subarray(i, AREA))]);
    });

    it("an empty message among long ones, with a key and the parameters of a tree", () => {
      const key = pattern(31);
      const messages = [pattern(1500), "", pattern(2000), pattern(1), "", pattern(1800), pattern(2500)];
      for (const lastNode of [true, false]) {
        const tree = { fanout: 3, maxDepth: 2, nodeOffset: 5n, nodeDepth: 1, innerHashLength: 9, lastNode };
        for (const options of [{ lastNode }, { key, lastNode }, { ...tree }, { ...tree, key }]) {
          expectDigests(algorithm, messages, options);
          expectDigests(algorithm, messages.toReversed(), options);
        }
      }
    });

    it("text with more bytes than characters in an input area that is nearly full", () => {
      const first = Array.from({ length: 4 }, (_, i) => pattern(AREA / 4 - 1024 - i));
      for (const count of [341, 342, 400, 700, 1000, 1024]) {
        const texts = ["€", "é", "𝄞"].map((unit) => unit.repeat(count / unit.length));
        expectDigests(algorithm, [...first, ...texts, ...texts, ...first]);
      }
    });
  });

  describe("blake3", () => {
    const algorithm = blake3 as unknown as Algorithm<Options>;

    it("text with more bytes than characters, and none, after up to 70 whole chunks", () => {
      for (let count = 55; count <= 70; count++) {
        for (const length of [341, 342, 400, 683, 1024]) {
          expectDigests(algorithm, [
            ...Array.from({ length: count }, (_, i) => long.subarray(i, i + 1024)),
            "€".repeat(length),
            "",
          ]);
          expectDigests(algorithm, [...Array.from({ length: count }, (_, i) => long.subarray(i, i + 1024)), ""]);
        }
      }
    });

    it("every length next to another hasher's pending bytes", () => {
      useBackend(backend === "simd128" ? "baseline" : "simd128");
      useBackend(backend);
      for (let shift = 0; shift < 3; shift++) {
        const other = blake3.create().update(new Uint8Array(AREA - 1).fill(255));
        const messages = Array.from({ length: 60 }, (_, i) => long.subarray(i, i + 64 * (1 + (i % 15)) - shift));
        expectDigests(algorithm, messages);
        expectBytes(other.digest(), expectedDigest("blake3", new Uint8Array(AREA - 1).fill(255)));
        other.dispose();
      }
    });
  });
});
