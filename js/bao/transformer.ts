// Streams around what verifies or encodes.
import { toBytes } from "./arguments.js";

/** What takes bytes, and holds some of them until it is disposed of. */
interface Taker {
  push(bytes: Uint8Array): void;
  /** All bytes have come. */
  end(): void;
  dispose(): void;
}

/**
 * Makes what a TransformStream does with its chunks. Nothing of them stays after an error. Engines without
 * `Transformer.cancel`, such as Node.js 20, do not say that a stream was aborted or cancelled.
 *
 * @param make with the function that gives bytes to the reader
 */
export function transformerFor<T extends Taker>(
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
    transform: (chunk: unknown) => attempt(() => taker.push(toBytes(name, "chunk", chunk))),
    flush: () => attempt(() => taker.end()),
    cancel: () => taker.dispose(),
  };
  return { taker, transformer };
}
