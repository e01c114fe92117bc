// The base of the streams that hash the chunks that pass through them.
import { type Bytes, toMessage } from "../input/bytes.js";
import { copyOf } from "../input/caller-bytes.js";
import { ignoreFailure } from "../input/promises.js";
import type { Chunk } from "../sources/chunks.js";
import type { PromisedDigest } from "./chunk-hasher.js";
import { LazyTransformStream } from "./lazy-base.js";

/** Returns a copy of a chunk, whose memory its writer may then use again. Text is its own copy. */
function copyOfChunk<C extends Chunk>(name: string, chunk: C): C {
  const message = toMessage(name, "chunk", chunk);
  return typeof message === "string" ? chunk : (copyOf(message) as Chunk as C);
}

/** The base of HashStream and VerifyStream. */
export class HashingTransformStream<C extends Chunk> extends LazyTransformStream<C, C> {
  /** The digest of all bytes. Rejects with the reason if the stream fails, is aborted, or is cancelled. */
  readonly digest: Promise<Uint8Array<ArrayBuffer>>;

  /**
   * @internal
   * @param requireExpected throws for a wrong digest. With it, the reader gets copies, which are what is hashed, and the
   *   last one that is not empty only when the digest is known to be right.
   */
  constructor(digest: PromisedDigest, requireExpected?: (digest: Bytes) => void) {
    let held: C | undefined;
    super({
      transform(given, controller) {
        const chunk = requireExpected ? copyOfChunk(digest.name, given) : given;
        const isEmpty = digest.update(chunk);
        if (!requireExpected || isEmpty) {
          controller.enqueue(chunk);
          return;
        }
        if (held !== undefined) controller.enqueue(held);
        held = chunk;
      },
      flush(controller) {
        const bytes = digest.digest();
        requireExpected?.(bytes);
        if (held !== undefined) controller.enqueue(held);
        digest.fulfil(bytes);
      },
    });
    this.digest = digest.promise;
    // Not every engine tells a transformer that its reader has cancelled (https://github.com/whatwg/streams/pull/1283),
    // so the reader gets another stream.
    const reader = this.readable.getReader();
    reader.closed.catch((reason) => digest.fail(reason));
    const readable = new ReadableStream<C>(
      {
        async pull(controller) {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel(reason) {
          digest.fail(reason);
          ignoreFailure(reader.cancel(reason));
        },
      },
      { highWaterMark: 0 },
    );
    Object.defineProperty(this, "readable", { value: readable });
  }
}
