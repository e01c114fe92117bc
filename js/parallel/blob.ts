// Blobs as bytes, on any thread.

/** Reads a Blob's bytes, and checks that there are `length` of them: a file behind the Blob may have changed. */
export async function bytesOf(blob: Blob, length: number): Promise<Uint8Array> {
  const buffer = (await blob.arrayBuffer()) as ArrayBuffer | undefined;
  // A detached buffer has the length 0, and no view can be made of it.
  const bytes = new Uint8Array(buffer?.byteLength ? buffer : []);
  if (bytes.length === length) return bytes.subarray(0, length);
  throw new Error(`the Blob changed while it was being hashed: expected ${length} bytes, got ${bytes.length}`);
}
