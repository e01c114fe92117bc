// Streams that verify or encode.
import { toView } from "../input/bytes.js";

/** Takes bytes, and may hold some of them until it is disposed of. */
interface ByteSink {
  push(bytes: Uint8Array): void;
  /** Ends the bytes. */
  end(): void;
  dispose(): void;
}

/**
 * Returns a Transformer for a TransformStream. No bytes stay in memory after an error. Engines without `Transformer.cancel`,
 * such as Node.js 20, do not report that a stream was aborted or cancelled.
 *
 * @param make is called with a function that enqueues output
 */
export function transformerFor<T extends ByteSink>(
  name: string,
  make: (give: (bytes: Uint8Array<ArrayBuffer>) => void) => T,
) {
  let controller: TransformStreamDefaultController<Uint8Array<ArrayBuffer>>;
  const taker = make((bytes) => controller.enqueue(bytes));
  const attempt = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      taker.dispose();
      throw error;
    }
  };
  const transformer = {
    start(own: TransformStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
      controller = own;
    },
    transform: (chunk: unknown) => attempt(() => taker.push(toView(name, "chunk", chunk))),
    flush: () => attempt(() => taker.end()),
    cancel: () => taker.dispose(),
  };
  return { taker, transformer };
}
