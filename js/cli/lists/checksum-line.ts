// Checksum lines, printed as b2sum, b3sum and blake2 print them, or in JSON, and parsed as these, OpenSSL and the BSD
// programs write them.
import { type Algorithm, algorithmNamed, blake3, findAlgorithm } from "../hashing/algorithms.js";
import type { Recipe } from "../hashing/recipe.js";
import { bytesOfHex, CONTROLS, fromBytes, fromText, toBytes } from "../system/byte-strings.js";

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r" };

export const escapeName = (name: string): string =>
  name.replace(/[\\\n\r]/g, (character) => ESCAPES[character] as string);

/** What lines look like: HEX with a marker and NAME, TAG (NAME) = HEX, or HEX alone. */
export interface LineStyle {
  readonly tag: string | undefined;
  /** "*" means that the file was read in binary mode. */
  readonly marker: " " | "*";
  readonly hasName: boolean;
  /** No name can contain NUL, so it needs no escapes before one. */
  readonly end: "\n" | "\0";
}

/** Returns the text of a line before and after the digest of a file. */
export function aroundDigest(file: string, { tag, marker, hasName, end }: LineStyle): [before: string, after: string] {
  if (!hasName) return ["", ""];
  // With "/" on Windows, as b3sum writes it, so that lists can be checked on other systems.
  const name = process.platform === "win32" ? file.replaceAll("\\", "/") : file;
  const written = end === "\0" ? name : escapeName(name);
  const mark = written === name ? "" : "\\";
  return tag === undefined ? [mark, ` ${marker}${written}`] : [`${mark}${tag} (${written}) = `, ""];
}

/** Returns the tag that b2sum and b3sum write: BLAKE3, or BLAKE2b, with its length in bits if that is an option. */
export function tagOf({ algorithm, options: { length } }: Recipe): string {
  const bits = algorithm === blake3 || length === undefined ? "" : `-${length * 8}`;
  return `${algorithm.algorithm.replace("blake", "BLAKE")}${bits}`;
}

/** A JSON object on one line. A name that is not valid UTF-8 comes with its bytes. */
export function jsonLine(name: string, fields: Readonly<Record<string, string | number | undefined>>): string {
  const bytes = toBytes(name);
  const text = bytes.toString();
  const nameBytes = Buffer.from(text).equals(bytes) ? undefined : bytes.toString("hex");
  return `${fromText(JSON.stringify({ name: text, nameBytes, ...fields }).replace(CONTROLS, escapeOf))}\n`;
}

/** JSON escapes only those below U+0020 by itself. */
const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

export interface Checksum {
  /** Undefined if the line does not name it. */
  readonly algorithm: Algorithm | undefined;
  readonly digest: Uint8Array;
  /** The length that the tag says, in bytes. */
  readonly length: number | undefined;
  /** Whether the tag says how long the digest is: in bits, or by naming an algorithm with this default. */
  readonly statesLength: boolean;
  readonly name: string;
  /** Whether the name was written with escapes, so that a backslash in it is not a separator. */
  readonly escaped: boolean;
}

const UNESCAPES: Readonly<Record<string, string>> = { "\\\\": "\\", "\\n": "\n", "\\r": "\r" };

/** Returns undefined for a name with a NUL, or with a backslash that does not begin a valid escape. */
function nameIn(written: string, escaped: boolean): string | undefined {
  if (written.includes("\0")) return undefined;
  if (!escaped) return written;
  const escapes = written.match(/\\.?/gs) ?? [];
  if (!escapes.every((each) => Object.hasOwn(UNESCAPES, each))) return undefined;
  return written.replace(/\\./g, (each) => UNESCAPES[each] as string);
}

/** b2sum and b3sum write "BLAKE2b-256 (name) = hex", openssl "BLAKE2B-512(name)= hex". */
const TAGGED = /^([a-z][a-z0-9]*(?:-\d+)?) ?\((.+)\)\s*=\s*((?:[0-9a-f]{2})+)$/is;

/** Parses one line of a list; returns undefined if it is not a checksum line. */
export function parseLine(line: string): Checksum | undefined {
  const text = line.replace(/^[ \t]+/, "");
  if (text.startsWith("{")) return parseJson(text);
  const escaped = text.startsWith("\\");
  const body = escaped ? text.slice(1) : text;
  // One regular expression for the whole line would be slow.
  const hex = /^(?:[0-9a-f]{2})+/i.exec(body)?.[0] ?? "";
  const rest = body.slice(hex.length);
  if (hex && (rest.startsWith(" ") || rest.startsWith("\t"))) {
    // The second space or asterisk is absent in lines of the reference implementation's b2sum.
    const name = nameIn(rest.slice(rest[1] === " " || rest[1] === "*" ? 2 : 1), escaped);
    if (!name) return undefined;
    return { algorithm: undefined, digest: bytesOfHex(hex), length: undefined, statesLength: false, name, escaped };
  }
  const [, tag = "", taggedName = "", taggedHex = ""] = TAGGED.exec(body) ?? [];
  const { algorithm, length } = findTag(tag) ?? {};
  const digest = bytesOfHex(taggedHex);
  const name = nameIn(taggedName, escaped);
  if (!algorithm || !name || (length ?? digest.length) !== digest.length) return undefined;
  const statesLength = (length ?? algorithm.digestLength) === digest.length;
  return { algorithm, digest, length, statesLength, name, escaped };
}

/** Parses a line that `--json` printed. */
function parseJson(text: string): Checksum | undefined {
  const { name: written, nameBytes, algorithm: named, length, digest: hex } = objectIn(text);
  const isHex = (value: unknown): value is string => typeof value === "string" && /^(?:[0-9a-f]{2})+$/i.test(value);
  if (typeof written !== "string" || typeof named !== "string" || !isHex(hex)) return undefined;
  if (nameBytes !== undefined && !isHex(nameBytes)) return undefined;
  const name = nameIn(nameBytes === undefined ? fromText(written) : fromBytes(bytesOfHex(nameBytes)), false);
  const [algorithm, digest] = [algorithmNamed(named), bytesOfHex(hex)];
  if (!algorithm || !name || (length !== undefined && length !== digest.length)) return undefined;
  const statesLength = (length ?? algorithm.digestLength) === digest.length;
  return { algorithm, digest, length, statesLength, name, escaped: false };
}

/** Returns the fields of an object in JSON, of which any may be anything; none of other text. */
function objectIn(text: string): Partial<Record<string, unknown>> & { readonly length?: number } {
  try {
    return JSON.parse(toBytes(text).toString());
  } catch {
    return {};
  }
}

/** A tag's length is in bits; BLAKE3 may have any. */
function findTag(tag: string): ReturnType<typeof findAlgorithm> {
  const [, bits] = /^blake3-(\d+)$/i.exec(tag) ?? [];
  return bits === undefined ? findAlgorithm(tag) : { algorithm: blake3, length: Number(bits) / 8 };
}
