// What the streams of Bao are made of, without streams: bytes are pushed, and what is verified is given at once.
import { type BaoDecodeOptions, Decoder } from "../../js/bao/decode.ts";
import { type BaoEncodeOptions, encodingReader } from "../../js/bao/encode.ts";
import type { Outboard } from "../../js/bao/outboard.ts";
import { rangeReader } from "../../js/bao/range.ts";
import type { ContentRange } from "../../js/bao/selection.ts";
import { type Give, Window } from "../../js/bao/window.ts";

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
