// Comparisons that throw an error with both sides.

export function hexOf(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
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

export function fail(what, got, wanted) {
  throw new Error(`${what}: got ${got}, expected ${wanted}`);
}

export function same(what, got, wanted) {
  if (got !== wanted) fail(what, got, wanted);
}
