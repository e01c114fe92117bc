/** Neighbours in a list end up far from each other, in the same order each time. */
export function spread(list) {
  const key = (i) => Math.imul(i + 1, 0x9e3779b1) >>> 0;
  return list
    .map((mutant, i) => [key(i), mutant])
    .sort(([a], [b]) => a - b)
    .map(([, mutant]) => mutant);
}
