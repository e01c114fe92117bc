// Parses what digests are compared with: a digest, or lines as b3sum, b2sum, openssl and blakesum print them.
import { fromHex } from "blake-simd";

const HEX = /^(?:[0-9a-f]{2})+$/i;
/** "BLAKE2b-256 (name) = hex", or without spaces, as openssl writes it. */
const TAGGED = /^(\w+(?:-\d+)?) ?\((.+)\) ?= ?((?:[0-9a-f]{2})+)$/i;
const NAMED = /^((?:[0-9a-f]{2})+)[ \t][ *]?(.+)$/i;
const BASE64 = /^(?:blake\w+-)?([\w+/-]+)={0,2}$/i;
/** Shorter base64 does not count as a digest, since any word is valid base64. */
const LEAST = 16;

const UNESCAPES = { "\\\\": "\\", "\\n": "\n", "\\r": "\r" };

function bytesOfBase64(text) {
  const [, digits] = BASE64.exec(text) ?? [];
  if (!digits || digits.length % 4 === 1) return undefined;
  const binary = atob(digits.replaceAll("-", "+").replaceAll("_", "/"));
  return binary.length < LEAST ? undefined : Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}

/** { digest, name, tag } of a line, or undefined if it has no digest. */
function parseLine(line) {
  const isEscaped = line.startsWith("\\");
  const body = isEscaped ? line.slice(1) : line;
  const nameOf = (name) =>
    (isEscaped ? name.replace(/\\[\\nr]/g, (each) => UNESCAPES[each]) : name).replace(/^\.\//, "");
  if (HEX.test(body)) return { digest: fromHex(body) };
  const [, tag, tagged, tagDigits] = TAGGED.exec(body) ?? [];
  if (tag) return { digest: fromHex(tagDigits), name: nameOf(tagged), tag };
  const [, digits, name] = NAMED.exec(body) ?? [];
  if (digits) return { digest: fromHex(digits), name: nameOf(name) };
  const digest = bytesOfBase64(body);
  return digest && { digest };
}

/** The lines of a text. Throws an error that shows the first which has no digest. */
export function parseExpected(text) {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return lines.flatMap((line, i) => {
    if (line === "") return [];
    const parsed = parseLine(line);
    if (parsed) return [parsed];
    const where = lines.length > 1 ? `Line ${i + 1}` : "This";
    const shown = line.length > 40 ? `${line.slice(0, 40)}…` : line;
    throw new Error(`${where} is not a digest: “${shown}”`);
  });
}

/** The algorithm that a tag names, such as "blake2b" for BLAKE2b-256. */
export const algorithmOf = (tag) =>
  tag
    .toLowerCase()
    .replace(/^blake-/, "blake")
    .replace(/^(blake[23]\w*)-\d+$/, "$1");
