// Bytes in groups of another length than the reader takes them for. The error says that this may be why exactly where
// bytes that are right in some other groups fail, too.
import { fetchVerified, nodesOf } from "blake-simd/bao";
import { describe, expect, it } from "vitest";
import { Outboard } from "../../js/bao/outboard.ts";
import { outboard } from "../../js/bao/outboard-of.ts";
import { content, flipped, serve } from "../support/bao.ts";
import { Decoding, encoderOf, errorOf, type Make, pushed, verifierOf } from "../support/bao-machines.ts";
import { decoded, groupsOf, nodesIn, type Verdict, verified } from "../support/bao-model.ts";

const KiB = 1024;
const NODE = 64;
const GROUPS = Array.from({ length: 11 }, (_, i) => KiB << i);
const READ = [KiB, 4 * KiB, 32 * KiB];
const FORMATS = ["bao", "iroh", "post-order"] as const;
const RANGES = [{}, { end: 1 }, { start: 3 * KiB }, { start: 70_000, end: 100_000 }];

const HINT = /, or its groups are not of \d+ bytes$/;
const isRefused = ({ reason }: Verdict) => reason !== undefined && reason !== "missing";
/** A leaf that is wrong and one that is cut are at the same place. */
const placeOf = ({ offset, depth }: Verdict) => `${offset}, under ${depth} nodes`;

/** The error for bytes, which is the same in small chunks. */
function errorFor(make: Make, bytes: Uint8Array): Error | undefined {
  const error = errorOf(make, bytes);
  expect(errorOf(make, bytes, 900)?.message).toBe(error?.message);
  return error;
}

/**
 * An input in the right groups with something wrong, or one that is right in other groups, by the model and in fact.
 */
interface Read {
  readonly ofOthers: boolean;
  readonly verdict: Verdict;
  readonly error: Error | undefined;
}

function expectHints(reads: readonly Read[]): void {
  const refused = reads.filter(({ verdict }) => isRefused(verdict));
  const places = new Set(refused.filter(({ ofOthers }) => ofOthers).map(({ verdict }) => placeOf(verdict)));
  for (const { verdict, error } of refused) {
    expect(HINT.test(error!.message), `${error} ${placeOf(verdict)}`).toBe(places.has(placeOf(verdict)));
  }
}

describe.each([1, KiB + 1, 16 * KiB, 70_000, 140_001])("%i bytes", (length) => {
  const bytes = content(length);
  const trees = GROUPS.map((group) => outboard(bytes, { group }));
  const { root } = trees[0]!;

  it.each(READ)("an encoding read in groups of %i", (group) => {
    for (const format of ["bao", "iroh"] as const) {
      for (const range of [...RANGES, { ranges: [{ end: 2000 }, { start: 9000, end: 9001 }, { start: 60_000 }] }]) {
        const encodings = trees.map((tree) => {
          return pushed((give) => encoderOf(tree, { format, ...range }, give), bytes).given;
        });
        const own = encodings[GROUPS.indexOf(group)]!;
        const places = Array.from({ length: 20 }, (_, i) => 8 + Math.floor(((own.length - 8) * i) / 20));
        const read = (encoding: Uint8Array, ofOthers: boolean): Read => ({
          ofOthers,
          verdict: decoded({ group, format, ...range }, root, encoding),
          error: errorFor((give) => new Decoding(root, { group, format, ...range }, give), encoding),
        });
        const others = encodings.map((each) => read(each, true));
        for (const [i, { error }] of others.entries()) {
          expect(error === undefined).toBe(Buffer.compare(encodings[i]!, own) === 0);
        }
        expectHints([...others, ...places.map((at) => read(flipped(own, at), false))]);
      }
    }
  });

  it.each(READ)("parts of an outboard read in groups of %i", (group) => {
    for (const [format, range] of FORMATS.flatMap((format) => RANGES.map((range) => [format, range] as const))) {
      if ((range.start ?? 0) > length) continue;
      const shape = { root, length, group, format };
      const { start, end } = groupsOf(range, length, group);
      const body = bytes.subarray(start, end);
      const read = (nodes: Uint8Array, ofOthers: boolean): Read => {
        const parts = nodesOf({ length, group, format }, range).map((span) => {
          return { start: span.start, bytes: nodes.subarray(span.start, span.end) };
        });
        const tree = Outboard.fromParts(parts, shape);
        return {
          ofOthers,
          verdict: verified(range, group, { root, length, nodes: nodesIn(nodes, format, group) }, body),
          error: errorFor((give) => verifierOf(tree, range, give), body),
        };
      };
      const own = trees[GROUPS.indexOf(group)]!.toBytes(format);
      const count = Math.min(20, Math.floor(own.length / NODE));
      const wrong = Array.from({ length: count }, (_, i) => flipped(own, (own.length % NODE) + i * NODE));
      expectHints([
        ...trees.map((tree) => read(tree.toBytes(format), true)),
        ...wrong.map((nodes) => read(nodes, false)),
      ]);
      // A whole outboard has as many nodes as there are in these groups alone.
      for (const nodes of wrong) {
        const error = errorFor((give) => verifierOf(Outboard.from(nodes, shape), range, give), body);
        expect(error?.message ?? "").not.toMatch(HINT);
      }
    }
  });

  it("a whole outboard of a wrong size", () => {
    for (const [group, format] of READ.flatMap((group) => FORMATS.map((format) => [group, format] as const))) {
      const own = trees[GROUPS.indexOf(group)]!.toBytes(format);
      const sizes = trees.map((tree) => tree.toBytes(format).length);
      for (const size of [...sizes, own.length + 1, own.length + NODE, own.length + 5 * NODE]) {
        const nodes = new Uint8Array(size);
        nodes.set(own.subarray(0, size));
        const read = () => Outboard.from(nodes, { root, length, group, format });
        if (size === own.length) read();
        else if (sizes.includes(size)) expect(read).toThrow(HINT);
        else expect(read).toThrow(/^Outboard.from: input goes on after byte \d+ of the content, where it must end$/);
      }
    }
  });
});

// Where the outboard has more than 1 MiB, its first MiB is as long in other groups.
describe.each([300_001, 20_000_000])("a remote outboard of %i bytes", (length) => {
  const bytes = content(length);
  const { root } = outboard(bytes);
  const read = async (nodes: Uint8Array<ArrayBuffer>, remote: { length?: number; group?: number }) => {
    const { fetch } = serve({ content: bytes, nodes });
    const options = { root, start: 200_000, end: 200_001, fetch, outboard: { url: "nodes", ...remote } };
    await new Response(await fetchVerified("content", options)).arrayBuffer();
  };
  const nodesOfGroups = (group: number) => outboard(bytes, { group }).toBytes();

  it.each([
    [KiB, 16 * KiB],
    [16 * KiB, KiB],
    [KiB, 2 * KiB],
    [2 * KiB, 64 * KiB],
  ])("in groups of %i, read in groups of %i, is refused, and the error says why", async (own, group) => {
    await expect(read(nodesOfGroups(own), { group })).rejects.toThrow(`, or its groups are not of ${group} bytes`);
    if (own > group) return;
    await expect(read(nodesOfGroups(own), { group, length })).rejects.toThrow(HINT);
  });

  it("with a size of no groups is refused without that", async () => {
    const nodes = nodesOfGroups(16 * KiB);
    const more = new Uint8Array(nodes.length + 1);
    more.set(nodes);
    await expect(read(more, {})).rejects.toThrow(/ it must end$/);
    await expect(read(nodes.slice(0, -1), {})).rejects.toThrow(
      /^fetchVerified: input ended early, at byte 0 of the content$/,
    );
  });
});
