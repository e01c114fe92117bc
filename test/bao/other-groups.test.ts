// Bytes in groups of another length than the reader takes them for: the error says that this may be why.
import { describe, expect, it } from "vitest";
import { Outboard } from "../../js/bao/outboard.ts";
import { outboard } from "../../js/bao/outboard-of.ts";
import { content } from "../support/bao.ts";
import { Decoding, encoderOf, errorOf, pushed } from "../support/bao-machines.ts";

const KiB = 1024;
const GROUPS = Array.from({ length: 11 }, (_, i) => KiB << i);
const READ = [KiB, 4 * KiB, 32 * KiB];
const FORMATS = ["bao", "iroh", "post-order"] as const;
const HINT = /, or its groups are not of \d+ bytes$/;

describe.each([KiB + 1, 16 * KiB, 70_000, 140_001])("%i bytes", (length) => {
  const bytes = content(length);
  const trees = GROUPS.map((group) => outboard(bytes, { group }));
  const { root } = trees[0]!;
  const expectHint = (error: Error | undefined) =>
    expect(error?.message ?? ", or its groups are not of 1 bytes").toMatch(HINT);

  it.each(READ)("an encoding read in groups of %i", (group) => {
    for (const format of ["bao", "iroh"] as const) {
      for (const tree of trees) {
        const encoding = pushed((give) => encoderOf(tree, { format }, give), bytes).given;
        expectHint(errorOf((give) => new Decoding(root, { group, format }, give), encoding));
      }
    }
  });

  it("a whole outboard of a wrong size", () => {
    for (const [group, format] of READ.flatMap((group) => FORMATS.map((format) => [group, format] as const))) {
      const own = trees[GROUPS.indexOf(group)]!.toBytes(format);
      for (const tree of trees) {
        const nodes = tree.toBytes(format);
        if (nodes.length === own.length) continue;
        expect(() => Outboard.from(nodes, { root, length, group, format })).toThrow(HINT);
      }
    }
  });
});
