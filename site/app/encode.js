import { toHex } from "blake-simd";

/** A digest as text: "hex", "base64" or "base64url". */
export function encode(digest, encoding) {
  if (encoding === "hex") return toHex(digest);
  const base64 = btoa(String.fromCharCode(...digest.subarray(0, 60_000)));
  return encoding === "base64" ? base64 : base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
