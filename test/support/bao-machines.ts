// What the streams of Bao are made of, without streams: bytes are pushed, and what is verified is given at once.
import { type BaoDecodeOptions, Decoder } from "../../js/bao/decode.ts";
import { type BaoEncodeOptions, encodingReader } from "../../js/bao/encode.ts";
import type { Outboard } from "../../js/bao/outboard.ts";
import { rangeReader } from "../../js/bao/range.ts";
import type { ContentRange } from "../../js/bao/selection.ts";
import { Window } from "../../js/bao/window.ts";
import { concat } from "./bao.ts";
import type { Verdict } from "./bao-model.ts";

export type Give = (bytes: Uint8Array<ArrayBuffer>) => void;

/** A decoder, which knows the content's length in the end. */
export class Decoding extends Window {
  readonly decoder: Decoder;

  constructor(root: Uint8Array, options: BaoDecodeOptions, give: Give) {
    const decoder = new Decoder("test", root, options);
    super(decoder, give);
    this.decoder = decoder;
  }
}

export const verifierOf = (tree: Outboard, range: ContentRange, give: Give): Window =>
  new Window(rangeReader("test", tree, range), give);

export const encoderOf = (tree: Outboard, options: BaoEncodeOptions, give: Give): Window =>
  new Window(encodingReader("test", tree, options), give);

export type Make = (give: Give) => Window;

/** A verdict by what a call gave and threw. */
export function verdictOn(given: Uint8Array, error: unknown): Verdict {
  const { name, reason, offset, message } = (error ?? {}) as { [member in keyof Error | keyof Verdict]?: never };
  if (error === undefined) return { given };
  if (name === "IntegrityError") return { given, reason, offset };
  if (/outboard must hold the range's nodes/.test(message ?? "")) return { given, reason: "missing", offset: 0 };
  throw error;
}

/** What comes out of bytes in chunks of a size, and the error that ends it. */
function push(make: Make, bytes: Uint8Array, size: number): { given: Uint8Array; error?: Error } {
  const given: Uint8Array[] = [];
  try {
    const machine = make((part) => given.push(part));
    for (let at = 0; at < bytes.length; at += size) machine.push(bytes.subarray(at, at + size));
    machine.end();
    return { given: concat(given) };
  } catch (error) {
    return { given: concat(given), error: error as Error };
  }
}

export function pushed(make: Make, bytes: Uint8Array, size = Number.POSITIVE_INFINITY): Verdict {
  const { given, error } = push(make, bytes, size);
  return verdictOn(given, error);
}

export const errorOf = (make: Make, bytes: Uint8Array, size = 1e9): Error | undefined => push(make, bytes, size).error;
