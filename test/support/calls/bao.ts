// The calls of blake-simd/bao.
import * as bao from "blake-simd/bao";
import { SubtreeGroupHasher } from "blake-simd/hazmat";
import { through } from "./call.ts";
import { type Arrays, type Bytes, bytesFor, type Call, calls, makes, type Oracle, row } from "./row.mjs";

const GROUP = { group: 1024 };
const { Outboard } = bao;
const isSame = (one: Bytes, other: Bytes) => Buffer.compare(one, other) === 0;

/** The root of an outboard that is whole. */
function rootOf(made: bao.Outboard): Bytes[] {
  made.check();
  return [made.root];
}

export async function baoCalls(): Promise<Call[]> {
  const content = bytesFor("content", 40_000);
  const honest = bao.outboard(content, GROUP);
  const { root } = honest;
  const tree = honest.toBytes();
  const encoding = await through(new bao.BaoEncodeStream(honest), content);
  const shape = { root, length: content.length, ...GROUP };
  const groups = new SubtreeGroupHasher(GROUP).update(content).groupValues();
  /** What only the honest bytes give. */
  const only = (name: string, result: Bytes) => (a: Arrays) =>
    isSame(a[name]!, { tree, values: groups, content, encoding }[name]!) && isSame(a.root ?? root, root)
      ? [result]
      : undefined;
  const hashed = (a: Arrays, oracle: Oracle) => [oracle.digest("blake3", a.content!)];
  const own = (name: string, act: unknown, arrays: Arrays, args: Call["args"], rest: object = {}) =>
    row(name, { of: "blake3", act: calls(act), arrays, args, ...rest });
  const stream = (
    Class: unknown,
    arrays: Arrays,
    args: Call["args"],
    input: string,
    result: Bytes,
    rest: object = {},
  ) =>
    own((Class as { name: string }).name, null, arrays, args, {
      act: makes(Class),
      look: async (
        made: { readable: ReadableStream<Bytes>; writable: WritableStream<Bytes> },
        _: unknown,
        a: Arrays,
      ) => [await through(made, a[input]!)],
      expected: only(input, result),
      ...rest,
    });
  const fetch = async (): Promise<Response> =>
    new Response(content.slice(), { status: 206, headers: { "Content-Range": "bytes 0-39999/40000" } });
  const none = { look: () => [] };
  return [
    own("outboard", bao.outboard, { content }, (a, code) => [a.content, code.options(GROUP)], {
      look: rootOf,
      expected: hashed,
      optionsAt: 1,
    }),
    own("outboardOf", bao.outboardOf, { content }, (a, code) => [a.content, code.options(GROUP)], {
      look: rootOf,
      expected: hashed,
      optionsAt: 1,
    }),
    own("outboardOf", bao.outboardOf, { content }, (a, code) => [code.list([a.content]), GROUP], {
      how: " a list",
      look: rootOf,
      expected: hashed,
      optionsAt: 1,
    }),
    own(
      "Outboard.from",
      Outboard.from,
      { tree, root },
      (a, code) => [a.tree, code.options({ root: a.root!, ...GROUP })],
      {
        look: rootOf,
        expected: only("tree", root),
        optionsAt: 1,
      },
    ),
    own(
      "outboardOfGroups",
      bao.outboardOfGroups,
      { values: groups, root },
      (a, code) => [a.values, code.options({ ...shape, root: a.root! })],
      {
        look: rootOf,
        expected: only("values", root),
        optionsAt: 1,
      },
    ),
    own(
      "Outboard.fromParts",
      Outboard.fromParts,
      { tree, root },
      (a, code) => [code.list([{ start: 0, bytes: a.tree! }]), code.options({ ...shape, root: a.root! })],
      {
        look: async (made: bao.Outboard) => [await through(new bao.VerifiedRangeStream(made), content)],
        expected: only("tree", content),
        optionsAt: 1,
      },
    ),
    stream(bao.BaoEncodeStream, { content }, () => [honest, {}], "content", encoding, { optionsAt: 1 }),
    stream(bao.BaoDecodeStream, { encoding, root }, (a, code) => [a.root, code.options(GROUP)], "encoding", content, {
      optionsAt: 1,
    }),
    // It passes on views of its chunks, which their writer must not change (docs/bao.md).
    stream(bao.VerifiedRangeStream, { content }, () => [honest, {}], "content", content, {
      optionsAt: 1,
      unspecified: /overwritten|shrunk|detached/,
    }),
    own("toBytes", honest.toBytes.bind(honest), {}, () => ["iroh"], none),
    own("check", honest.check.bind(honest), {}, () => [], none),
    own("rangeOf", bao.rangeOf, {}, () => [shape, {}], { optionsAt: 0, ...none }),
    own("nodesOf", bao.nodesOf, {}, () => [shape, {}], { optionsAt: 0, ...none }),
    own("OutboardStream", null, {}, () => [{}], { act: makes(bao.OutboardStream), optionsAt: 0, ...none }),
    own("fetchVerified", bao.fetchVerified, {}, () => ["https://a.example", { root, outboard: honest, fetch }], {
      quoted: [0],
      optionsAt: 1,
      ...none,
    }),
  ];
}
