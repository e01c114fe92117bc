// What rows of the table of calls are made of (its types: row.d.mts).

/** Bytes of the kernels' input area (js/engine/memory.ts). */
export const AREA = 0x10000;
/** What a hasher has before the call. */
export const HEAD = Uint8Array.of(104, 101, 97, 100);

/** Bytes that tell the arrays of a call from one another. */
export function bytesFor(name, length) {
  const seed = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_521, 7);
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = (seed + 1 + ((i * 2_654_435_761) >>> 13)) % 256;
  return bytes;
}

export function concat(...pieces) {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

export const ofHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** A call that may leave out the last of `most` arguments. */
export function row(name, rest) {
  const { args = () => [], most = args({}, NO_CODE).length, arrays = {} } = rest;
  return { how: "", make: () => undefined, look: (value) => [value], ...rest, name, args, most, arrays };
}

/** A function, or a class if it is called with `new`, as a row's act. */
export const calls =
  (call) =>
  (_, ...args) =>
    call(...args);
export const makes =
  (Class) =>
  (_, ...args) =>
    new Class(...args);
/** A method as a row's act. */
export const method =
  (name) =>
  (object, ...args) =>
    object[name](...args);

export const NO_CODE = { options: (options) => options, list: (items) => items };
