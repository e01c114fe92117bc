// Checksum lines as b2sum and b3sum write and read them.

import { fromHex } from "../index.js";
import { type Algorithm, algorithmNamed, tagOf } from "./algorithms.js";

export interface LineStyle {
  /** raw: the digest's bytes; digest: hex alone; named: hex and name; tagged: algorithm, name and hex. */
  content: "raw" | "digest" | "named" | "tagged";
  /** Stands before the name: "*" says that the file was read as binary. */
  marker: " " | "*";
  /** End the line with NUL, which no name can hold, so that no name needs escapes. */
  zero: boolean;
}

export interface Checksum {
  algorithm: Algorithm;
  digest: Uint8Array;
  name: string;
}

/** What surrounds the hex digits of a digest of this length on its line. */
export function lineAround(algorithm: Algorithm, length: number, name: string, style: LineStyle): [string, string] {
  const end = style.zero ? "\0" : "\n";
  if (style.content === "digest") return ["", end];
  const shown = style.zero ? name : escapeName(name);
  const mark = shown === name ? "" : "\\";
  if (style.content === "tagged") return [`${mark}${tagFor(algorithm, length)} (${shown}) = `, end];
  return [mark, ` ${style.marker}${shown}${end}`];
}

/** The length in bits follows the name where it is not the algorithm's own. */
function tagFor(algorithm: Algorithm, length: number): string {
  const tag = tagOf(algorithm);
  return length === algorithm.digestLength ? tag : `${tag}-${length * 8}`;
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r" };
const UNESCAPES: Readonly<Record<string, string>> = { "\\\\": "\\", "\\n": "\n", "\\r": "\r" };

export const escapeName = (name: string): string => name.replace(/[\\\n\r]/g, (character) => ESCAPES[character] ?? "");

/** Undefined where a backslash begins none of the escapes. */
function unescapeName(name: string): string | undefined {
  const escapes = name.match(/\\.?/gs) ?? [];
  if (!escapes.every((each) => Object.hasOwn(UNESCAPES, each))) return undefined;
  return name.replace(/\\./g, (each) => UNESCAPES[each] ?? "");
}

/** b2sum and b3sum write "BLAKE2b-256 (name) = hex", openssl "BLAKE2B-512(name)= hex". */
const TAGGED = /^[ \t]*([a-z][a-z0-9]*)(?:-(\d+))? ?\((.+)\)\s*=\s*((?:[0-9a-f]{2})+)$/is;
/** The second space or asterisk is absent in lines of the reference implementation's b2sum. */
const NAMED = /^[ \t]*((?:[0-9a-f]{2})+)[ \t](?:[ *]|(?![ *]))(.+)$/is;

/** Reads one line of a list; untagged ones are of the algorithm given. Undefined: no checksum line. */
export function parseLine(line: string, untagged: Algorithm): Checksum | undefined {
  const escaped = line.startsWith("\\");
  const checksum = parseBody(line.slice(escaped ? 1 : 0), untagged);
  const name = escaped && checksum ? unescapeName(checksum.name) : checksum?.name;
  return checksum && name && !name.includes("\0") ? { ...checksum, name } : undefined;
}

function parseBody(body: string, untagged: Algorithm): Checksum | undefined {
  const tagged = TAGGED.exec(body);
  if (tagged) return taggedChecksum(tagged);
  const [, hex = "", name = ""] = NAMED.exec(body) ?? [];
  return hex ? { algorithm: untagged, digest: fromHex(hex), name } : undefined;
}

function taggedChecksum([, tag = "", bits, name = "", hex = ""]: RegExpExecArray): Checksum | undefined {
  const algorithm = algorithmNamed(tag.toLowerCase());
  const agrees = bits === undefined || Number(bits) === hex.length * 4;
  return algorithm && agrees ? { algorithm, digest: fromHex(hex), name } : undefined;
}
