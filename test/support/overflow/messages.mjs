// What calls hash and what they are keyed with, which may not stay in memory, and what other objects have hashed.

const TOKEN = 16;

/** Bytes that repeat a token of 16, so that any copy of them in memory is found by it. */
export function repeated(seed, length) {
  const token = new Uint8Array(TOKEN).map((_, i) => (seed + 37 * i + 11 * i * i) % 251);
  return new Uint8Array(length).map((_, i) => token[i % TOKEN]);
}

// The messages of the calls, and the keys: what may not stay in memory. ASCII, so that text has the same bytes.
export const SECRET = repeated(3, 200_000).map((byte) => 33 + (byte % 90));
export const TEXT = Array.from(SECRET, (byte) => String.fromCharCode(byte)).join("");
export const KEY = repeated(101, 64);
// What the objects outside the call have hashed. It may stay.
export const PENDING = new Uint8Array(77).map((_, i) => 255 - i);
export const LONG_PENDING = new Uint8Array(3000).map((_, i) => (7 * i) % 253);

export const LENGTHS = { short: 50, block: 128, area: 65_536, long: 200_000 };
export const part = (length) => SECRET.subarray(0, length);

/** Options with a secret, for each algorithm: a key, or a salt if there is none. */
export function secretOptions(name) {
  if (name === "blake3") return { key: KEY.subarray(0, 32) };
  if (/^blake2x?b/.test(name)) return { key: KEY.subarray(0, 64) };
  if (/^blake2x?s/.test(name)) return { key: KEY.subarray(0, 32) };
  return { salt: KEY.subarray(0, name === "blake224" || name === "blake256" ? 16 : 32) };
}

/** What may not be found in memory: the tokens, and their words as BLAKE has them, big-endian. */
export function secretTokens() {
  return [SECRET, KEY].flatMap((bytes) => {
    const token = bytes.slice(0, TOKEN);
    return [token, reversedWords(token, 4), reversedWords(token, 8)];
  });
}

function reversedWords(bytes, word) {
  const reversed = bytes.slice();
  for (let at = 0; at < bytes.length; at += word) reversed.subarray(at, at + word).reverse();
  return reversed;
}
