// examples/multiformats, run against the multiformats package: digests, codes and CIDs.

import { createHash } from "node:crypto";
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

const noble = { blake2b, blake2s };

describe("the hashers of examples/multiformats", () => {
  it("are BLAKE3, 64 of BLAKE2b and 32 of BLAKE2s, under multicodec's codes", () => {
    expect(Object.keys(hashers)).toHaveLength(1 + 64 + 32);
    const codes = ["blake3", "blake2b-8", "blake2b-256", "blake2b-512", "blake2s-8", "blake2s-256"].map(
      (name) => hashers[name]!.code,
    );
    expect(codes).toEqual([0x1e, 0xb201, 0xb220, 0xb240, 0xb241, 0xb260]);
  });

  it.each([
    ["blake2b", 1],
    ["blake2b", 20],
    ["blake2b", 32],
    ["blake2b", 64],
    ["blake2s", 1],
    ["blake2s", 32],
  ] as const)("%s of %i bytes is noble's", async (name, length) => {
    const { digest, code } = await hashers[`${name}-${8 * length}`]!.digest(message);
    expect(Buffer.from(digest)).toEqual(Buffer.from(noble[name](message, { dkLen: length })));
    expect(code).toBe(hashers[`${name}-${8 * length}`]!.code);
  });

  it("make CIDs that parse again", async () => {
    const digest = await hashers.blake3!.digest(message);
    expect(Buffer.from(digest.digest)).toEqual(Buffer.from(nobleBlake3(message)));
    const cid = CID.create(1, raw.code, digest as never);
    expect(CID.parse(cid.toString()).multihash.digest).toEqual(digest.digest);
    const long = await hashers["blake2b-512"]!.digest(message);
    expect(Buffer.from(long.digest).toString("hex")).toBe(createHash("blake2b512").update(message).digest("hex"));
  });
});
