// blake-simd/hazmat.
import * as hazmat from "blake-simd/hazmat";
import { concat } from "../bao.ts";
import { same } from "../messages.ts";
import { PLAIN, parentValue, subtreeValue } from "../specification.ts";
import {
  type Arrays,
  arraysOf,
  type Bytes,
  blake3,
  bytesFor,
  type Call,
  digest,
  HEAD,
  keyOf,
  text,
  updated,
} from "./call.ts";

const ROOT_FLAG = 8;
const PLAIN_ROOT = { ...PLAIN, flags: PLAIN.flags | ROOT_FLAG };

/** Sets a value that changes between two that do not; an honest one has to be accepted after it was refused. */
function collected(part: number, group: number | undefined, set: (collector: hazmat.SubtreeCollector) => void): Bytes {
  const collector = new hazmat.SubtreeCollector(4 * part, part, { ...(group && { group }) });
  const setHonest = (index: number) => {
    const { value, groups } = partOf(index, part, group);
    collector.set(index * part, value, groups);
  };
  for (const index of [0, 2, 3]) setHonest(index);
  try {
    set(collector);
  } catch (error) {
    setHonest(1);
    if (!same(collector.digest(), digest(blake3, objectOf(part))))
      throw new Error("a refused value has changed another");
    throw error;
  }
  return group ? concat([collector.digest(), collector.groupValues()]) : collector.digest();
}

const objectOf = (part: number): Bytes => bytesFor("object", 4 * part);

function partOf(index: number, part: number, group: number | undefined): { value: Bytes; groups?: Bytes } {
  const bytes = objectOf(part).subarray(index * part, (index + 1) * part);
  const value = subtreeValue(PLAIN, bytes, BigInt((index * part) / 1024));
  if (group === undefined) return { value };
  const at = (first: number) => BigInt((index * part + first) / 1024);
  const firsts = Array.from({ length: part / group }, (_, i) => i * group);
  return {
    value,
    groups: concat(firsts.map((first) => subtreeValue(PLAIN, bytes.subarray(first, first + group), at(first)))),
  };
}

export function hazmatCalls(): Call[] {
  const pair = (a: Arrays): [Bytes, Bytes] => {
    for (const bytes of [a.left!, a.right!]) if (bytes.length !== 32) throw new RangeError("value");
    return [a.left!, a.right!];
  };
  const part = partOf(1, 2048, 1024);
  const others = [0, 2, 3].map((index) => partOf(index, 1024, undefined).value);
  const half = new hazmat.SubtreeCollector(4096, 1024);
  half.set(1024, partOf(1, 1024, undefined).value);
  const saved = half.save();
  const calls: [name: string, arrays: Arrays, run: Call["run"], expected: Call["expected"]][] = [
    [
      "chainingValue",
      arraysOf({ message: 3000, key: 32 }),
      (_, a, code) => hazmat.chainingValue(a.message!, code.options({ key: a.key! })),
      (a) => subtreeValue(keyOf(a), a.message!, 0n),
    ],
    [
      "SubtreeHasher",
      arraysOf({ message: 3000, key: 32 }),
      (_, a, code) =>
        updated(
          new hazmat.SubtreeHasher(code.options({ key: a.key! })),
          a.message!,
          (each) => each.chainingValue(),
          (each) => each.chainingValue(),
        ),
      (a) => subtreeValue(keyOf(a), concat([text(HEAD), a.message!]), 0n),
    ],
    [
      "SubtreeGroupHasher",
      arraysOf({ message: 3000, key: 32 }),
      (_, a, code) =>
        updated(
          new hazmat.SubtreeGroupHasher(code.options({ group: 1024, key: a.key! })),
          a.message!,
          (each) => each.chainingValue(),
          (each) => concat([each.groupValues(), each.chainingValue()]),
        ),
      (a) => {
        const [mode, bytes] = [keyOf(a), concat([text(HEAD), a.message!])];
        const groups = Array.from({ length: Math.ceil(bytes.length / 1024) }, (_, i) =>
          subtreeValue(mode, bytes.subarray(i * 1024, (i + 1) * 1024), BigInt(i)),
        );
        return concat([...groups, subtreeValue(mode, bytes, 0n)]);
      },
    ],
    [
      "mergeSubtrees",
      arraysOf({ left: 32, right: 32, key: 32 }),
      (_, a, code) => hazmat.mergeSubtrees(a.left!, a.right!, code.options({ key: a.key! })),
      (a) => parentValue(keyOf(a), ...pair(a)),
    ],
    [
      "rootOf",
      arraysOf({ left: 32, right: 32 }),
      (_, a, code) => hazmat.rootOf(a.left!, a.right!, {}, code.options({ length: 32 })),
      (a) => parentValue(PLAIN_ROOT, ...pair(a)),
    ],
    [
      "SubtreeCollector.set",
      { value: partOf(1, 1024, undefined).value },
      (_, a) => collected(1024, undefined, (collector) => collector.set(1024, a.value!)),
      ({ value }) => {
        if (value!.length !== 32) throw new RangeError("value");
        const [first, third, fourth] = others as [Bytes, Bytes, Bytes];
        return parentValue(PLAIN_ROOT, parentValue(PLAIN, first, value!), parentValue(PLAIN, third, fourth));
      },
    ],
    [
      "SubtreeCollector.set with group values",
      { value: part.value, groupValues: part.groups! },
      (_, a) => collected(2048, 1024, (collector) => collector.set(2048, a.value!, a.groupValues!)),
      (a) => {
        if (!same(a.value!, part.value) || !same(a.groupValues!, part.groups)) return undefined;
        const groups = [0, 1, 2, 3].map((index) => partOf(index, 2048, 1024).groups!);
        return concat([digest(blake3, objectOf(2048)), ...groups]);
      },
    ],
    [
      "SubtreeCollector.restore",
      { state: saved },
      (_, a) => hazmat.SubtreeCollector.restore(a.state!).save(),
      (a) => (same(a.state!, saved) ? saved : undefined),
    ],
  ];
  return calls.map(([name, arrays, run, expected]) => ({ name, subject: blake3, arrays, run, expected }));
}
