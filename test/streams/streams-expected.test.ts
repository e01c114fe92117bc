// How VerifyStream takes a digest, and which Responses digestOf refuses.
import { createHash } from "node:crypto";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { blake2b, blake3 } from "blake-simd";
import { digestOf, IntegrityError, VerifyStream } from "blake-simd/streams";
import { describe, expect, it } from "vitest";
import { expectError } from "../support/errors.ts";

const message = Buffer.from("hello");
const digest = Buffer.from(nobleBlake3(message));
const pass = (expected: string) =>
  new Response(new Blob([message]).stream().pipeThrough(new VerifyStream(blake3, expected))).text();
const base64 = digest.toString("base64");
const base64url = digest.toString("base64url");
// A digest with the digits in which the alphabets differ.
const odd = "i?>".repeat(400);
const oddDigest = createHash("blake2b512").update(odd).digest();

describe("VerifyStream takes a digest", () => {
  it.each([
    ["in base64", base64],
    ["in base64 without padding", base64.replace("=", "")],
    ["in base64url", base64url],
    ["with the algorithm's name before it", `blake3-${base64}`],
    ["with the algorithm's name before base64url", `blake3-${base64url}`],
    ["in hexadecimal of either case", digest.toString("hex").toUpperCase()],
  ])("%s", async (_, expected) => {
    expect(await pass(expected)).toBe("hello");
    const last = expected.at(-3) === "A" ? "B" : "A";
    const other = `${expected.slice(0, -3)}${last}${expected.slice(-2)}`;
    await expect(pass(other)).rejects.toBeInstanceOf(IntegrityError);
  });

  it("in both alphabets, whatever the digits", async () => {
    for (const expected of [oddDigest.toString("base64"), oddDigest.toString("base64url")]) {
      const stream = new Blob([odd]).stream().pipeThrough(new VerifyStream(blake2b, expected));
      expect(await new Response(stream).text()).toBe(odd);
    }
  });

  it.each([
    ["another algorithm's name", `blake2s-${base64}`],
    ["one of another length", digest.subarray(1).toString("base64")],
    ["another character", base64.replace(/.$/, "!")],
    ["a last digit with bits that stand for nothing", base64.replace(/.=$/, "9=")],
    ["nothing after the name", "blake3-"],
    ["no text", ""],
  ])("and refuses %s", (_, expected) => {
    const words = [
      "VerifyStream: expected must be 64 hexadecimal digits,",
      "or 43 of base64",
      'after "blake3-"',
      "got",
    ];
    expectError(() => new VerifyStream(blake3, expected), RangeError, ...words);
  });
});

describe("digestOf", () => {
  const response = (status: number) => new Response("hello", { status });

  it("refuses a Response that is not ok, and leaves its body", async () => {
    const missing = response(404);
    const refused = digestOf(blake3, missing).catch((error) => error);
    expect(await refused).toBeInstanceOf(RangeError);
    expect((await refused).message).toMatch(
      /^digestOf: source must be .* from 200 to 299, got status 404: .*requireOk/,
    );
    expect(await missing.text()).toBe("hello");
    await expect(digestOf(blake3, response(500), { length: 32, requireOk: true })).rejects.toThrow("got status 500");
    await expect(digestOf(blake3, response(500), { requireOk: undefined })).rejects.toThrow("got status 500");
  });

  it("hashes it if requireOk is false, and any that is ok", async () => {
    expect(Buffer.from(await digestOf(blake3, response(404), { requireOk: false }))).toEqual(digest);
    for (const status of [200, 206, 299]) expect(Buffer.from(await digestOf(blake3, response(status)))).toEqual(digest);
    const long = await digestOf(blake3, response(200), { requireOk: true, length: 40 });
    expect(Buffer.from(long)).toEqual(Buffer.from(nobleBlake3(message, { dkLen: 40 })));
  });

  it("refuses a requireOk that is no boolean", async () => {
    const wrong = { requireOk: "no" } as unknown as { requireOk: boolean };
    await expect(digestOf(blake3, response(200), wrong)).rejects.toThrow("digestOf: requireOk must be a boolean, got");
  });
});
