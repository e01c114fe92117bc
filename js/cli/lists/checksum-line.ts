// Checksum lines, printed as b2sum, b3sum and blake2 do, or in JSON, and parsed as of these, OpenSSL and the BSD programs.
import { type Algorithm, blake3, findAlgorithm, type Options, tagOf } from "../digests/algorithms.js";
import { bytesOfHex, CONTROLS, fromText, toBytes } from "../system/byte-strings.js";

/** Returns the text before and after the hex digits of a digest. */
export type LineFormat = (name: string) => readonly [before: string, after: string];

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r" };

export const escapeName = (name: string): string =>
  name.replace(/[\\\n\r]/g, (character) => ESCAPES[character] as string);

/** HEX, a space, " " or "*", NAME: "*" means that the file was read in binary mode. */
export const named =
  (marker: " " | "*"): LineFormat =>
  (name) => ["", ` ${marker}${name}`];

/** TAG (NAME) = HEX. A BLAKE2 tag contains the length in bits, if it is an option. */
export function tagged(algorithm: Algorithm, { length }: Options): LineFormat {
  const bits = algorithm === blake3 || length === undefined ? "" : `-${length * 8}`;
  return (name) => [`${tagOf(algorithm)}${bits} (${name}) = `, ""];
}

/** Ends with a newline. A name with escapes has a backslash before the line. */
export const line =
  (format: LineFormat): LineFormat =>
  (name) => {
    const shown = escapeName(name);
    const [before, after] = format(shown);
    return [shown === name ? before : `\\${before}`, `${after}\n`];
  };

/** Ends with NUL, which no name can contain, so names need no escapes. */
export const zeroLine =
  (format: LineFormat): LineFormat =>
  (name) => {
    const [before, after] = format(name);
    return [before, `${after}\0`];
  };

/** Writes names with "/" on Windows, as b3sum does, so that lists can be checked on other systems. */
export const portable = (format: LineFormat): LineFormat =>
  process.platform === "win32" ? (name) => format(name.replaceAll("\\", "/")) : format;

/** A JSON object on one line. A name that is not valid UTF-8 comes with its bytes. */
export function jsonLine(name: string, fields: Readonly<Record<string, string>>): string {
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

/** Returns undefined if a backslash does not begin a valid escape. */
export function unescapeName(name: string): string | undefined {
  const escapes = name.match(/\\.?/gs) ?? [];
  if (!escapes.every((each) => Object.hasOwn(UNESCAPES, each))) return undefined;
  return name.replace(/\\./g, (each) => UNESCAPES[each] as string);
}

/** b2sum and b3sum write "BLAKE2b-256 (name) = hex", openssl "BLAKE2B-512(name)= hex". */
const TAGGED = /^([a-z][a-z0-9]*(?:-\d+)?) ?\((.+)\)\s*=\s*((?:[0-9a-f]{2})+)$/is;
/** With a tab after the digits. */
const NAMED = /^((?:[0-9a-f]{2})+)[ \t](.+)$/is;

/** Parses one line of a list; returns undefined if it is not a checksum line. */
export function parseLine(line: string): Checksum | undefined {
  const text = line.replace(/^[ \t]+/, "");
  const escaped = text.startsWith("\\");
  const checksum = parseBody(escaped ? text.slice(1) : text);
  if (!checksum || checksum.name.includes("\0")) return undefined;
  if (!escaped) return checksum;
  const name = unescapeName(checksum.name);
  return name === undefined ? undefined : { ...checksum, name, escaped };
}

/** Nearly all lines begin like this, and only untagged ones do. */
const HEX = /^(?:[0-9a-f]{2})+$/i;

function parseBody(body: string): Checksum | undefined {
  const space = body.indexOf(" ");
  const digits = body.slice(0, Math.max(0, space));
  if (HEX.test(digits)) return untaggedChecksum(digits, body.slice(space + 1));
  return parseOther(body);
}

/** The second space or asterisk is absent in lines of the reference implementation's b2sum. */
function untaggedChecksum(digits: string, rest: string): Checksum | undefined {
  const name = rest.startsWith(" ") || rest.startsWith("*") ? rest.slice(1) : rest;
  if (name === "") return undefined;
  return {
    algorithm: undefined,
    digest: bytesOfHex(digits),
    length: undefined,
    statesLength: false,
    name,
    escaped: false,
  };
}

function parseOther(body: string): Checksum | undefined {
  const tagged = TAGGED.exec(body);
  if (tagged) return taggedChecksum(tagged);
  const [, hex = "", name = ""] = NAMED.exec(body) ?? [];
  return hex ? untaggedChecksum(hex, name) : undefined;
}

function taggedChecksum([, tag = "", name = "", hex = ""]: RegExpExecArray): Checksum | undefined {
  const digest = bytesOfHex(hex);
  const { algorithm, length } = findTag(tag) ?? {};
  if (!algorithm || (length ?? digest.length) !== digest.length) return undefined;
  const statesLength = (length ?? algorithm.digestLength) === digest.length;
  return { algorithm, digest, length, statesLength, name, escaped: false };
}

/** A tag's length is in bits; BLAKE3 may have any. */
function findTag(tag: string): ReturnType<typeof findAlgorithm> {
  const [, bits] = /^blake3-(\d+)$/i.exec(tag) ?? [];
  return bits === undefined ? findAlgorithm(tag) : { algorithm: blake3, length: Number(bits) / 8 };
}
