// What terms stand for: their values, when each symbol has one.
import { randomFrom } from "../../random.mjs";
import * as T from "./terms.mjs";

/** The value of a term as a bigint; `symbolValue` gives that of a symbol by its kind and index. */
export function evaluate(root, symbolValue, seen = new Map()) {
  const at = (w, v) => (T.isTerm(v) ? seen.get(v) : BigInt.asUintN(w, BigInt(v)));
  const compute = ({ op, w, terms, k, c, rest }) => {
    const [x, y] = [terms[0], terms[1]];
    switch (op) {
      case T.SYMBOL:
        return BigInt(symbolValue(c, k));
      case T.BYTE:
        return (at(x.w, x) >> BigInt(8 * k)) & 255n;
      case T.CAT:
        return terms.reduce((sum, byte, i) => sum | (at(8, byte) << BigInt(8 * i)), 0n);
      case T.ADD:
        return terms.reduce((sum, term, i) => sum + at(w, term) * BigInt(k[i]), at(w, c) + (rest ? at(w, rest) : 0n));
      case T.SUM:
        return at(w, x) * BigInt(k) + (y ? at(w, y) : 0n);
      case T.XOR:
        return terms.reduce((sum, term) => sum ^ at(w, term), at(w, c) ^ (rest ? at(w, rest) : 0n));
      case T.ROTR:
        return (at(w, x) >> BigInt(k)) | (at(w, x) << BigInt(w - k));
      case T.SHL:
        return at(w, x) << BigInt(k);
      case T.SHR:
        return at(w, x) >> BigInt(k);
      case T.AND:
        return at(w, x) & (k === 1 ? at(w, c) : at(w, y));
      case T.OR:
        return at(w, x) | (k === 1 ? at(w, c) : at(w, y));
      case T.NONZERO:
        return terms.some((byte) => at(8, byte) !== 0n) ? 1n : 0n;
      default:
        throw new Error(`term ${op} is not known`);
    }
  };
  // Without recursion: a term may be deeper than the stack.
  for (const open = [root].filter(T.isTerm); open.length > 0; ) {
    const term = open.at(-1);
    const inner = [...term.terms, term.rest].filter((v) => v !== undefined && T.isTerm(v) && !seen.has(v));
    if (inner.length > 0) {
      open.push(...inner);
      continue;
    }
    open.pop();
    seen.set(term, BigInt.asUintN(term.w, compute(term)));
  }
  return at(64, root);
}

/** A generator of numbers below a bound, the same for the same seed. */
export const random = (seed) => randomFrom(seed).below;

/** Applies rules of terms.mjs to random words, and throws if a result does not have the value that arithmetic gives. */
export function checkRules(w, rounds, seed) {
  const next = random(seed);
  const [n, bits] = [w / 8, BigInt(w)];
  const bytes = Array.from({ length: 64 }, () => next(256));
  const own = (v) => BigInt.asUintN(w, v);
  const valueIn = (v) => (T.isTerm(v) ? evaluate(v, (_, i) => bytes[i]) : own(BigInt(v)));
  const constants = w === 64 ? [0n, 0xff00ff00ff00ff00n, 0x123456789abcdef0n, 255n] : [0, 0x00ff00ff, 0x12345678, 255];
  const words = Array.from({ length: 4 }, (_, i) => T.cat(Array.from({ length: n }, (_, j) => T.symbol(1, i * n + j))));
  const pool = [...constants, ...words].map((v) => [v, valueIn(v)]);
  const turned = (p, k) => own((p >> k) | (p << (bits - k)));
  for (let i = 0; i < rounds; i++) {
    const [[x, p], [y, q]] = [pool[next(pool.length)], pool[next(pool.length)]];
    const k = 1 + (next(2) ? next(w - 1) : 8 * next(n - 1) + 7);
    const kk = BigInt(k);
    const mixed = () => Array.from({ length: n }, () => [next(2) ? [x, p] : [y, q], next(n)]);
    const rules = {
      add: () => [T.add(w, x, y), p + q],
      subtract: () => [T.add(w, x, y, -1), p - q],
      xor: () => [T.xor(w, x, y), p ^ q],
      or: () => [T.or(w, x, y), p | q],
      and: () => [T.and(w, x, y), p & q],
      rotr: () => [T.rotr(w, x, k), turned(p, kk)],
      shl: () => [T.shl(w, x, k), p << kk],
      shr: () => [T.shr(w, x, k), p >> kk],
      "a rotation of two shifts": () => [T.or(w, T.shr(w, x, k), T.shl(w, x, w - k)), turned(p, kk)],
      "a rotation by XOR": () => [T.xor(w, T.shl(w, x, w - k), T.shr(w, x, k)), turned(p, kk)],
      nonzero: () => [T.nonzero(T.or(w, x, T.xor(w, x, y))), p !== 0n || q !== 0n ? 1n : 0n, 32],
      "bytes of words": () => {
        const all = mixed();
        const value = all.reduce((sum, [[, v], j], at) => sum | (((v >> BigInt(8 * j)) & 255n) << BigInt(8 * at)), 0n);
        return [T.cat(all.map(([[v], j]) => T.byteOf(v, j))), value];
      },
    };
    const names = Object.keys(rules);
    const name = names[next(names.length)];
    const [result, value, size = w] = rules[name]();
    if (BigInt.asUintN(size, valueIn(result)) !== BigInt.asUintN(size, value))
      throw new Error(`${name} of ${T.show(x)} and ${T.show(y)}, ${k}, is ${T.show(result)}`);
    if (size !== w) continue;
    if (pool.length < 60) pool.push([result, own(value)]);
    else pool[8 + next(52)] = [result, own(value)];
  }
}
