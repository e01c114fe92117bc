// Which arrays calls make: the digests that they return, and no others of their length. no-garbage.test.ts has calls that make none.
import { blake3 } from "blake-simd";
import { expect, it } from "vitest";
import { arraysMadeDuring, isOfKernel } from "../support/arrays.ts";
import { eachSubject } from "../support/subjects.ts";

eachSubject(({ algorithm, digestLength, longest }) => {
  const owned = (call: () => unknown) => arraysMadeDuring(call).filter((array) => !isOfKernel(array));

  it("makes its digests, and no other array of their length", () => {
    algorithm.many(["a", "b", "c"]);
    expect(arraysMadeDuring(() => algorithm("abc"))).toHaveLength(1);
    const digests = owned(() => algorithm.many(["a", "b", "c"])).filter(({ length }) => length === digestLength);
    expect(digests).toHaveLength(3);
    if (longest < 40_000) return;
    const long = new Uint8Array(40_000);
    const lengths = owned(() => algorithm.into("abc", long, { length: 40_000 }));
    expect(lengths.filter(({ length }) => length === 40_000)).toEqual([]);
    expect(owned(() => algorithm("abc", { length: 100 })).filter(({ length }) => length === 100)).toHaveLength(1);
  });
});

it("keeps a view of each short digest, and of the last long one", () => {
  const views = (length: number) => {
    const output = new Uint8Array(length);
    return arraysMadeDuring(() => blake3.into("abc", output, { length })).filter(isOfKernel).length;
  };
  for (const length of [63, 64, 65]) views(length);
  expect([63, 64, 65, 66, 65, 65, 63].map(views)).toEqual([0, 0, 0, 1, 1, 0, 0]);
});
