// What several rivals' calls are built from.
import { pieceLength } from "../cases.mjs";

const cut = new WeakMap();

/** The input in pieces of `pieceLength` bytes, cut once so that no rival pays for the cutting. */
function pieces(bytes) {
  if (!cut.has(bytes)) cut.set(bytes, cutUp(bytes));
  return cut.get(bytes);
}

function cutUp(bytes) {
  const parts = [];
  for (let start = 0; start < bytes.length; start += pieceLength)
    parts.push(bytes.subarray(start, start + pieceLength));
  return parts;
}

const digest = (hasher) => hasher.digest();

/** The call of mode "stream": `start()` gives a hasher, which takes every piece, and `finish` its digest. */
export function streamed(start, finish = digest) {
  return (bytes) => {
    const hasher = start();
    for (const piece of pieces(bytes)) hasher.update(piece);
    return finish(hasher);
  };
}

/** The call of mode "save": the state is taken at the first call, then saved and restored at each. */
export function resumed(start, saveAndRestore, finish = digest) {
  let hasher;
  return (bytes) => {
    hasher ??= start().update(bytes);
    return finish(saveAndRestore(hasher));
  };
}

const buffers = new WeakMap();

/** The input for a package that takes nothing but a Buffer: a view, made once so that no rival pays for it. */
export function asBuffer(bytes) {
  let buffer = buffers.get(bytes);
  if (!buffer) {
    buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    buffers.set(bytes, buffer);
  }
  return buffer;
}

/** A hasher that takes nothing but Buffers, for `streamed`. */
export const bufferHasher = (hasher) => ({
  update: (piece) => hasher.update(asBuffer(piece)),
  digest: () => hasher.digest(),
});

/** The same builders under several algorithms' names. */
export function forEachOf(names, offersOf) {
  return Object.fromEntries(names.map((name) => [name, offersOf(name)]));
}
