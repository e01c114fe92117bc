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

/** What a rival offers as "incremental": `start()` gives a hasher, and `finish` its digest. */
export const hashers = (start, finish = digest) => ({ start, finish });

const numbers = new WeakMap();

/** The input as 32-bit numbers, read once so that no rival pays for the reading. */
function numbersOf(bytes) {
  if (!numbers.has(bytes)) numbers.set(bytes, readNumbers(bytes));
  return numbers.get(bytes);
}

function readNumbers({ buffer, byteOffset, length }) {
  const view = new DataView(buffer, byteOffset, length);
  return Array.from({ length: length / 4 }, (_, index) => view.getUint32(4 * index, true));
}

let copies = 0;

/** A copy of a function that uses nothing from around it: with type feedback of its own, which a rival's hasher needs. */
function ownCopy(work) {
  copies += 1;
  return new Function(`return ${work} // ${copies}`)();
}

/** The call that gives each part of the input to `append`. */
function feeder({ start, finish }, partsOf, append) {
  const feed = (start, finish, partsOf, append) => (bytes) => {
    const hasher = start();
    for (const part of partsOf(bytes)) append(hasher, part);
    return finish(hasher);
  };
  return ownCopy(feed)(start, finish, partsOf, append);
}

const update = (hasher, piece) => hasher.update(piece);

/** The call of mode "typed" for hashers that take numbers themselves. */
export const typed = (hashers, append) => feeder(hashers, numbersOf, append);

/** Writes a number to the same four bytes each time, the least that one can do with hashers that take bytes. */
function numberWriter() {
  const four = asBuffer(new Uint8Array(4));
  const view = new DataView(four.buffer, four.byteOffset, four.length);
  const write = (view, four) => (hasher, number) => {
    view.setUint32(0, number, true);
    hasher.update(four);
  };
  return ownCopy(write)(view, four);
}

/** mode -> how hashers are fed in it. */
export const feeding = {
  stream: (hashers) => feeder(hashers, pieces, ownCopy(update)),
  typed: (hashers) => feeder(hashers, numbersOf, numberWriter()),
};

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
  if (typeof Buffer === "undefined" || bytes instanceof Buffer) return bytes;
  let buffer = buffers.get(bytes);
  if (!buffer) {
    buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    buffers.set(bytes, buffer);
  }
  return buffer;
}

/** A hasher that takes nothing but Buffers, for `hashers`. */
export const bufferHasher = (hasher) => ({
  update: (piece) => hasher.update(asBuffer(piece)),
  digest: () => hasher.digest(),
});

/** The same builders under several algorithms' names. */
export function forEachOf(names, offersOf) {
  return Object.fromEntries(names.map((name) => [name, offersOf(name)]));
}
