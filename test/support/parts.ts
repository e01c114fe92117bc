// Parts of one message, and their chaining values.
import { type Blake3Mode, chainingValue, type Part, partsOf, SubtreeCollector } from "blake-simd/hazmat";
import { counting } from "../vectors/index.js";

export const KiB = 1024;
export const message = counting(200 * KiB + 7);

export const take = ({ offset, length }: Part) => message.subarray(offset, offset + length);
export const chain = (part: Part, mode: Blake3Mode = {}) => chainingValue(take(part), { offset: part.offset, ...mode });

/** The same order in each run, and never the parts' own. */
export function shuffled<T>(items: Iterable<T>): T[] {
  const list = [...items];
  for (let i = list.length - 1, seed = 1; i > 0; i--) {
    seed = (seed * 48271) % 0x7fffffff;
    const j = seed % (i + 1);
    [list[i], list[j]] = [list[j]!, list[i]!];
  }
  return list;
}

export function collect(length: number, partLength: number, mode: Blake3Mode = {}): SubtreeCollector {
  const collector = new SubtreeCollector(length, partLength, mode);
  for (const part of shuffled(partsOf(length, partLength))) collector.set(part.offset, chain(part, mode));
  return collector;
}
