// Parses checksum lines exactly as b2sum of GNU coreutils 9.1 does.
import { bytesOfHex } from "./byte-strings.js";
import { unescapeName } from "./checksum-lines.js";

export interface B2sumLine {
  readonly digest: Uint8Array;
  readonly name: string;
}

const MAX_BITS = 512;

const TAGGED = /^BLAKE2b(?:-([ \t]*\+?\d+)|[ \t]?) ?\((.*)\)[ \t]*=[ \t]*([0-9a-f]*)$/is;
const NAMED = /^((?:[0-9a-f]{2}){1,64})[ \t](.*)$/is;

/** Parses lines, and remembers whether names in this list are preceded by a second space. */
export class B2sumLines {
  #reversed: boolean | undefined;

  /** Returns undefined if the line is not a checksum line. */
  parse(line: string): B2sumLine | undefined {
    const body = line.replace(/^[ \t]+/, "");
    const escaped = body.startsWith("\\");
    const parsed = this.#parseBody(escaped ? body.slice(1) : body);
    if (!parsed) return undefined;
    const name = escaped ? unescapeName(parsed.name) : parsed.name.split("\0", 1)[0];
    return name === undefined || (escaped && name.includes("\0")) ? undefined : { digest: parsed.digest, name };
  }

  #parseBody(body: string): B2sumLine | undefined {
    if (body.startsWith("BLAKE2b")) return parseTagged(body);
    const [, hex, rest] = NAMED.exec(body) ?? [];
    if (hex === undefined || rest === undefined) return undefined;
    const name = this.#nameOf(rest);
    return name === undefined ? undefined : { digest: bytesOfHex(hex), name };
  }

  #nameOf(rest: string): string | undefined {
    if (rest.length === 1 || !/^[ *]/.test(rest)) {
      if (this.#reversed === false) return undefined;
      this.#reversed = true;
      return rest;
    }
    if (this.#reversed) return rest;
    this.#reversed = false;
    return rest.slice(1);
  }
}

function parseTagged(body: string): B2sumLine | undefined {
  const [, bitsText, name, hex] = TAGGED.exec(body) ?? [];
  if (name === undefined || hex === undefined) return undefined;
  const bits = bitsText === undefined ? MAX_BITS : Number(bitsText);
  if (bits <= 0 || bits > MAX_BITS || bits % 8 !== 0 || hex.length * 4 !== bits) return undefined;
  return { digest: bytesOfHex(hex), name };
}
