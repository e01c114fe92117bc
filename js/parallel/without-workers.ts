// Reads on the calling thread alone: short messages, and those whose length is known only at their end.
import { blake3 } from "../algorithms/blake3.js";
import { requireLeft } from "./part-kernel.js";
import type { Request } from "./request.js";
import type { Pieces, PoolSource } from "./source.js";

export async function hashAtOnce(source: PoolSource, request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const { mode, length, signal, onProgress } = request;
  try {
    const bytes = await source.bytes(0, source.length);
    signal?.throwIfAborted();
    requireLeft(bytes, source.length);
    const digest = blake3(bytes, { ...mode, length });
    onProgress?.(source.length, source.length);
    return digest;
  } finally {
    await source.close?.();
  }
}

export async function hashPieces(source: Pieces, request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const { mode, length, signal, onProgress } = request;
  const hasher = blake3.create({ ...mode, length });
  const stop = (): void => source.stop?.();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    for await (const piece of source.pieces()) {
      signal?.throwIfAborted();
      hasher.update(piece);
      onProgress?.(Number(hasher.bytesHashed), undefined);
    }
    return hasher.digest();
  } finally {
    signal?.removeEventListener("abort", stop);
    hasher.dispose();
    await source.close();
  }
}

/** Yields all of a message's bytes, then closes the source. */
export async function* wholeOf(source: PoolSource): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    const bytes = await source.bytes(0, source.length);
    requireLeft(bytes, source.length);
    // A copy, since the reader may take it later.
    yield bytes.slice();
  } finally {
    await source.close?.();
  }
}

export async function* piecesOf(source: Pieces): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* source.pieces();
  } finally {
    await source.close();
  }
}
