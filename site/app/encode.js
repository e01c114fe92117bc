import { toHex } from "blake-simd";

/** Bytes that are encoded at a time: a call has only so many arguments, and three bytes are four letters. */
const PART = 30_000;

/** A digest as text: "hex", "base64" or "base64url". */
export function encode(digest, encoding) {
  if (encoding === "hex") return toHex(digest);
  let base64 = "";
  for (let i = 0; i < digest.length; i += PART) base64 += btoa(String.fromCharCode(...digest.subarray(i, i + PART)));
  return encoding === "base64" ? base64 : base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
