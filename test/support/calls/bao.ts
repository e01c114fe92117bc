// blake-simd/bao.
import {
  BaoDecodeStream,
  BaoEncodeStream,
  Outboard,
  outboard,
  outboardOf,
  outboardOfGroups,
  VerifiedRangeStream,
} from "blake-simd/bao";
import { concat } from "../bao.ts";
import { same } from "../messages.ts";
import { PLAIN, subtreeValue } from "../specification.ts";
import { type Arrays, type Bytes, blake3, bytesFor, type Call, digest, through } from "./call.ts";

export async function baoCalls(): Promise<Call[]> {
  const content = bytesFor("content", 40_000);
  const root = digest(blake3, content);
  const group = 1024;
  const honest = outboard(content, { group });
  const tree = honest.toBytes();
  const encoding = await through(new BaoEncodeStream(honest), content);
  const groups = concat(
    Array.from({ length: Math.ceil(content.length / group) }, (_, i) =>
      subtreeValue(PLAIN, content.subarray(i * group, (i + 1) * group), BigInt(i)),
    ),
  );
  /** The root of an outboard that is whole. */
  const rootOf = (made: Outboard): Bytes => {
    made.check();
    return made.root;
  };
  const only = (name: string, wanted: Bytes, result: Bytes) => (a: Arrays) =>
    same(a[name]!, wanted) && (a.root === undefined || same(a.root, root)) ? result : undefined;
  const contentHashed = (a: Arrays) => digest(blake3, a.content!);
  const calls: [name: string, arrays: Arrays, run: Call["run"], expected: Call["expected"]][] = [
    ["outboard", { content }, (_, a, code) => rootOf(outboard(a.content!, code.options({ group }))), contentHashed],
    [
      "outboardOf",
      { content },
      async (_, a, code) => rootOf(await outboardOf(a.content!, code.options({ group }))),
      contentHashed,
    ],
    [
      "outboardOf a list",
      { content },
      async (_, a, code) => rootOf(await outboardOf(code.list([a.content!]), { group })),
      contentHashed,
    ],
    [
      "Outboard.from",
      { tree, root },
      (_, a, code) => rootOf(Outboard.from(a.tree!, code.options({ root: a.root!, group }))),
      only("tree", tree, root),
    ],
    [
      "Outboard.fromParts",
      { tree, root },
      async (_, a, code) => {
        const parts = code.list([{ start: 0, bytes: a.tree! }]);
        const made = Outboard.fromParts(parts, code.options({ root: a.root!, length: content.length, group }));
        return through(new VerifiedRangeStream(made), content);
      },
      only("tree", tree, content),
    ],
    [
      "outboardOfGroups",
      { values: groups, root },
      (_, a, code) =>
        rootOf(outboardOfGroups(a.values!, code.options({ root: a.root!, length: content.length, group }))),
      only("values", groups, root),
    ],
    [
      "BaoEncodeStream",
      { content },
      (_, a) => through(new BaoEncodeStream(honest), a.content!),
      only("content", content, encoding),
    ],
    [
      "BaoDecodeStream",
      { encoding, root },
      (_, a, code) => through(new BaoDecodeStream(a.root!, code.options({ group })), a.encoding!),
      only("encoding", encoding, content),
    ],
    [
      "VerifiedRangeStream",
      { content },
      (_, a) => through(new VerifiedRangeStream(honest), a.content!),
      only("content", content, content),
    ],
  ];
  return calls.map(([name, arrays, run, expected]) => ({
    name,
    subject: blake3,
    arrays,
    run,
    expected,
    // It passes on views of its chunks, which their writer must not change (docs/bao.md).
    ...(name === "VerifiedRangeStream" && { unspecified: /overwritten|shrunk|detached/ }),
  }));
}
