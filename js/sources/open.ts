// What a message can be read from, and the way to its chunks.
import { type ByteInput, toView } from "../input/bytes.js";
import { isBuffer } from "../input/caller-bytes.js";
import { tag, wrongKind } from "../input/errors.js";
import { blobChunks, isBlob } from "./blobs.js";
import { bodyChunks, isBody, wasUsed } from "./bodies.js";
import type { Chunk, Chunks } from "./chunks.js";
import { iterableChunks, wholeChunks } from "./iterables.js";
import { isStream, streamChunks } from "./streams.js";

/** The sources that `digestOf` reads a message from. */
export type Source =
  | ByteInput
  | ReadableStream<Chunk>
  | Blob
  | Response
  | Request
  | AsyncIterable<Chunk>
  // Text is an iterable of text, but not an object.
  | (object & Iterable<Chunk | Promise<Chunk>>);

const SOURCES = "bytes, a ReadableStream, a Blob, a Response, a Request or an iterable of chunks, async or not";
const ADVICE = "blake3(text) hashes text, and hashFile of blake-simd/node a file";

/** @throws TypeError for anything that is not a source, or whose bytes somebody else reads or has read */
export function openSource(name: string, source: unknown): Chunks | Promise<Chunks> {
  if (ArrayBuffer.isView(source)) return wholeChunks(toView(name, "source", source));
  if (isBlob(source)) return blobChunks(name, source);
  if (typeof source === "object" && source !== null && tag(source) !== "String") {
    if (isStream(source)) return streamChunks(name, source);
    if (isBody(source)) return bodyChunks(name, source, (body) => openSource(name, body));
    // A Node stream that somebody has read to its end, such as a parser of requests, would have no bytes.
    if ((source as { readableEnded?: unknown }).readableEnded === true) throw wasUsed(name, "source", "stream");
    const chunks = iterableChunks(source);
    if (chunks) return chunks;
    // Last, since `isBuffer` is slow for anything else.
    if (isBuffer(source)) return wholeChunks(toView(name, "source", source));
  }
  throw wrongKind(name, "source", SOURCES, source, ADVICE);
}
