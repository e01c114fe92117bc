// ReadableStreams as sources.
import { ignoreFailure } from "../input/promises.js";
import type { Chunks } from "./chunks.js";

// Recognized by its members, so that those of other realms and polyfills work, too.
export const isStream = (source: object): source is ReadableStream =>
  typeof Reflect.get(source, "getReader") === "function";

/**
 * The chunks of a stream. A BYOB reader would not be faster, and its reads may never end
 * (https://github.com/whatwg/streams/issues/1321).
 *
 * @throws TypeError for a locked stream
 */
export function streamChunks(name: string, stream: ReadableStream, total?: number): Chunks {
  if (stream.locked) throw new TypeError(`${name}: source must be a stream that is not locked, got a locked one`);
  const reader: ReadableStreamDefaultReader<unknown> = stream.getReader();
  return readerChunks(reader, () => reader.read(), total);
}

export function readerChunks(
  reader: ReadableStreamDefaultReader | ReadableStreamBYOBReader,
  next: Chunks["next"],
  total: number | undefined,
): Chunks {
  return {
    total,
    next,
    end: () => reader.releaseLock(),
    cancel(reason) {
      ignoreFailure(reader.cancel(reason));
      reader.releaseLock();
    },
  };
}
