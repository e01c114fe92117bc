// Random arguments, the same in each run.
let state = 40;

/** A whole number below a limit. */
export function random(limit) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
}

export const oneOf = (list) => list[random(list.length)];

export const bytes = (length) => Buffer.from(Array.from({ length }, () => random(256)));

export const LONG = bytes(200_000);

/** Texts that a program may hash, half a character among them. */
export const TEXTS = ["", "abc", "é\ud83d\udc1a", "\ud83d", "x".repeat(500)];

/** A message in pieces. */
export function pieces() {
  const message = LONG.subarray(0, oneOf([random(300), random(3000), random(20_000)]));
  const cut = [];
  for (let at = 0; at < message.length; at += cut.at(-1).length) {
    cut.push(message.subarray(at, at + 1 + oneOf([random(10), random(200), random(message.length)])));
  }
  return cut;
}
