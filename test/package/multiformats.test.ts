// examples/multiformats, run against the multiformats package: digests, codes and CIDs.

import { blake2b, blake2s } from "@noble/hashes/blake2.js";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { CID } from "multiformats/cid";
import * as raw from "multiformats/codecs/raw";
import { describe, expect, it } from "vitest";

type Hashers = Record<
  string,
  { name: string; code: number; digest(bytes: Uint8Array): Promise<{ code: number; digest: Uint8Array }> }
>;
const { hashers } = (await import("../../examples/multiformats/hashers.js" as string)) as { hashers: Hashers };
const message = Buffer.from("hello");

describe("the hashers of examples/multiformats", () => {
  it("are BLAKE3, 64 of BLAKE2b and 32 of BLAKE2s", () => {
    expect(Object.keys(hashers)).toHaveLength(1 + 64 + 32);
  });

  it.each([
    ["blake3", 0x1e, nobleBlake3(message)],
    ...[1, 20, 32, 64].map((dkLen) => [`blake2b-${8 * dkLen}`, 0xb200 + dkLen, blake2b(message, { dkLen })] as const),
    ...[1, 32].map((dkLen) => [`blake2s-${8 * dkLen}`, 0xb240 + dkLen, blake2s(message, { dkLen })] as const),
  ] as const)(
    "%s has multicodec's code %i, noble's digest, and makes a CID that parses again",
    async (name, code, wanted) => {
      const digest = await hashers[name]!.digest(message);
      expect([hashers[name]!.code, digest.code]).toEqual([code, code]);
      expect(Buffer.from(digest.digest)).toEqual(Buffer.from(wanted));
      const cid = CID.create(1, raw.code, digest as never);
      expect(CID.parse(cid.toString()).multihash.digest).toEqual(digest.digest);
    },
  );
});
