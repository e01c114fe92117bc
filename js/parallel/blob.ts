// Blobs as bytes, on whichever thread.

/** A Blob's bytes, which must be as many as it said. Where they lie in a file, that may have changed since. */
export async function bytesOf(blob: Blob, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  if (bytes.length === length) return bytes;
  throw new Error(`the Blob has changed while it was hashed: ${length} bytes were to be read, got ${bytes.length}`);
}
