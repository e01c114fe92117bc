// Every way in and out of Bao, with anything wrong in the bytes, the nodes or the root: what comes out, where it ends
// and why is what the plain model says, in chunks of any size.

import * as bao from "blake-simd/bao";
import { BaoDecodeStream, BaoEncodeStream, fetchVerified, VerifiedRangeStream } from "blake-simd/bao";
import { IntegrityError as StreamIntegrityError } from "blake-simd/streams";
import { describe, expect, it } from "vitest";
import { Outboard } from "../../js/bao/outboard.ts";
import { outboard } from "../../js/bao/outboard-of.ts";
import type { Span } from "../../js/bao/selection.ts";
import { concat, content, flipped, passed, serve, through } from "../support/bao.ts";
import { Decoding, encoderOf, type Give, type Make, pushed, verdictOn, verifierOf } from "../support/bao-machines.ts";
import {
  type Content,
  decoded,
  encoded,
  groupsOf,
  type NodeAt,
  nodesIn,
  type Shape,
  selected,
  type Verdict,
  verified,
} from "../support/bao-model.ts";
import { expectBytes } from "../support/messages.ts";

const KiB = 1024;
const NODE = 64;
const SIZES = [Number.POSITIVE_INFINITY, 131, 1500];
const FORMATS = ["bao", "iroh", "post-order"] as const;
const message = content(20 * KiB - 300);

function expectVerdict(verdict: Verdict, wanted: Verdict, where: string): void {
  expect([verdict.reason, verdict.offset], where).toEqual([wanted.reason, wanted.offset]);
  // What is missing is the caller's mistake: what is right before it need not come out.
  const given = wanted.reason === "missing" ? wanted.given.subarray(0, verdict.given.length) : wanted.given;
  expectBytes(verdict.given, given, where);
}

function expectVerdicts(make: Make, bytes: Uint8Array, wanted: Verdict, where: string): void {
  for (const size of SIZES) expectVerdict(pushed(make, bytes, size), wanted, `${where}, in chunks of ${size}`);
}

/** The bytes unchanged, flipped or cut at every step, and with more behind them. */
function* changesOf(bytes: Uint8Array, step: number): Generator<[name: string, bytes: Uint8Array]> {
  yield ["as they are", bytes];
  for (let at = 0; at < bytes.length; at += at < 200 ? 13 : step) {
    yield [`flipped at ${at}`, flipped(bytes, at, at % 8)];
    yield [`cut at ${at}`, bytes.subarray(0, at)];
  }
  for (const more of [1, NODE, 5000]) yield [`${more} more`, concat([bytes, new Uint8Array(more)])];
}

const shapes: [name: string, shape: Shape, length?: number][] = [
  ["a combined encoding", { format: "bao", group: KiB }],
  ["a slice", { format: "bao", group: KiB, start: 3000, end: 17_000 }],
  ["a slice of the end", { format: "bao", group: 4 * KiB, start: 20_000 }],
  ["a slice of nothing", { format: "bao", group: KiB, start: 5000, end: 5000 }],
  ["a slice after the end", { format: "bao", group: KiB, start: 50_000 }],
  ["iroh's response", { format: "iroh", group: 16 * KiB }],
  [
    "iroh's response to two ranges",
    { format: "iroh", group: 16 * KiB, ranges: [{ start: 15_000 }, { start: 2000, end: 9000 }] },
  ],
  [
    "ranges that overlap and touch",
    { format: "iroh", group: 2 * KiB, ranges: [{ start: 9, end: 5000 }, { end: 100 }, { start: 5000, end: 5001 }] },
  ],
  ...[0, 1, KiB, KiB + 1].map((length): [string, Shape, number] => [
    `${length} bytes`,
    { format: "bao", group: KiB },
    length,
  ]),
];

describe("Bao", () => {
  describe.each(shapes)("%s", (name, shape, length = message.length) => {
    const bytes = message.subarray(0, length);
    const { group, ...options } = shape;
    const tree = outboard(bytes, { group });
    const own: Content = { root: tree.root, length, nodes: nodesIn(tree.toBytes(), "bao", group) };
    const encoding = encoded(shape, own, bytes).given;
    const make: Make = (give) => new Decoding(tree.root, shape, give);

    it("is made of content", async () => {
      for (const [change, some] of changesOf(bytes, 997)) {
        expectVerdicts((give) => encoderOf(tree, options, give), some, encoded(shape, own, some), change);
      }
      const made = await passed(new BaoEncodeStream(bao.outboard(bytes, { group }), options), bytes, 999);
      expectBytes(made, encoding);
    });

    it("is decoded, as far as it is right", async () => {
      for (const [change, some] of changesOf(encoding, 173)) {
        expectVerdicts(make, some, decoded(shape, tree.root, some), change);
      }
      const right = decoded(shape, tree.root, encoding);
      expect(right.reason).toBeUndefined();
      expectBytes(right.given, selected(shape, bytes));
    });

    it("is decoded in the same way by a stream", async () => {
      const hasEnd = !["a slice", "a slice of nothing", "ranges that overlap and touch"].includes(name);
      for (const [change, some] of changesOf(encoding, 1999)) {
        const stream = new BaoDecodeStream(tree.root, shape);
        const { bytes: given, error } = await through(stream, some, 700);
        const wanted = decoded(shape, tree.root, some);
        expectVerdict(verdictOn(given, error), wanted, change);
        if (error) expect(error).toBeInstanceOf(StreamIntegrityError);
        // The last chunk alone proves the length.
        const isProved = hasEnd && (!wanted.reason || wanted.reason === "trailing");
        expect(stream.length, change).toBe(isProved ? length : undefined);
      }
    });

    it("is refused with any other root", () => {
      for (let at = 0; at < 32; at++) {
        const root = flipped(tree.root, at, at % 8);
        const reason = length > group ? "node" : "bytes";
        const wanted = { given: new Uint8Array(), reason, offset: 0 };
        expectVerdict(
          pushed((give) => new Decoding(root, shape, give), encoding),
          wanted,
          `byte ${at}`,
        );
      }
    });
  });

  describe.each(FORMATS)("content with an outboard in %s", (format) => {
    const group = KiB;
    const message = content(13 * KiB + 300);
    const tree = outboard(message, { group });
    const { root, length } = tree;
    const all = tree.toBytes(format);
    const header = all.length % NODE;
    const options = { root, length, group, format };

    interface User {
      readonly name: string;
      readonly body: Span;
      readonly make: (tree: Outboard) => Make;
      readonly wanted: (own: Content, bytes: Uint8Array) => Verdict;
    }
    const ranges = [{}, { start: 3000, end: 9000 }, { start: 13_500 }, { start: 5000, end: 5000 }, { start: length }];
    const users: User[] = [
      ...ranges.map((range) => ({
        name: `a verified range ${JSON.stringify(range)}`,
        body: groupsOf(range, length, group),
        make: (tree: Outboard) => (give: Give) => verifierOf(tree, range, give),
        wanted: (own: Content, bytes: Uint8Array) => verified(range, group, own, bytes),
      })),
      {
        name: "an encoding",
        body: { start: 0, end: length },
        make: (tree) => (give) => encoderOf(tree, {}, give),
        wanted: (own, bytes) => encoded({ group, format: "bao" }, own, bytes),
      },
    ];

    /**
     * Outboards whose nodes are changed, or end after some, all of them and as a part; with what the model reads of
     * them.
     */
    function* outboards(): Generator<[name: string, tree: Outboard, nodes: NodeAt]> {
      const part = (bytes: Uint8Array) =>
        Outboard.fromParts([{ start: header, bytes: bytes.subarray(header) }], options);
      yield ["right nodes", Outboard.from(all, options), nodesIn(all, format, group)];
      for (let at = header; at < all.length; at += NODE) {
        const changed = flipped(all, at + ((at * 13) % NODE), at % 7);
        yield [`the node at ${at} is wrong`, Outboard.from(changed, options), nodesIn(changed, format, group)];
        yield [`the node at ${at} is wrong in a part`, part(changed), nodesIn(changed, format, group)];
        const few = all.subarray(0, at + NODE - 1);
        yield [`no node from ${at} on`, part(few), nodesIn(few, format, group)];
      }
    }

    it.each(users)("$name is right as far as both are", ({ body, make, wanted }) => {
      const right = message.subarray(body.start, body.end);
      for (const [change, own, nodes] of outboards()) {
        const changes = change === "right nodes" ? changesOf(right, 499) : some(changesOf(right, 6997));
        for (const [what, bytes] of changes) {
          const verdict = wanted({ root, length, nodes }, bytes);
          expectVerdicts(make(own), bytes, verdict, `${change}, content ${what}`);
        }
      }
    });

    it("is all checked before it is used", () => {
      Outboard.from(all, options).check();
      for (let at = header; at < all.length; at += 5) {
        const wrong = Outboard.from(flipped(all, at, at % 8), options);
        const { offset } = verified(
          {},
          group,
          { root, length, nodes: nodesIn(wrong.toBytes(), "bao", group) },
          message,
        );
        expect(() => wrong.check(), `byte ${at}`).toThrow(expect.objectContaining({ reason: "node", offset }));
      }
    });
  });

  /** Every ninth of them. */
  const some = <T>(all: Iterable<T>): T[] => [...all].filter((_, i) => i % 9 === 0);

  describe("in the same way as the machines", () => {
    const group = KiB;
    const tree = bao.outboard(message, { group });
    const { root, length } = tree;
    const own = { root, length, nodes: nodesIn(tree.toBytes(), "bao", group) };

    it.each([{}, { start: 3000, end: 17_000 }])("a VerifiedRangeStream and fetchVerified of %o", async (range) => {
      const { start, end } = groupsOf(range, length, group);
      for (const [change, bytes] of changesOf(message.subarray(start, end), 1999)) {
        const wanted = verified(range, group, own, bytes);
        const parts = bao
          .nodesOf({ length, group }, range)
          .map((span) => ({ start: span.start, bytes: tree.toBytes().subarray(span.start, span.end) }));
        for (const each of [tree, bao.Outboard.fromParts(parts, { root, length, group })]) {
          const { bytes: given, error } = await through(new VerifiedRangeStream(each, range), bytes, 700);
          expectVerdict(verdictOn(given, error), wanted, change);
        }
        const { fetch } = serve({ content: message, nodes: tree.toBytes() }, (answer, { path }) => {
          if (path === "content") answer.body = bytes as Uint8Array<ArrayBuffer>;
        });
        for (const each of [tree, { url: "nodes", group }]) {
          const given: Uint8Array[] = [];
          let error: unknown;
          try {
            for await (const part of await fetchVerified("content", { root, outboard: each, fetch, ...range }))
              given.push(part);
          } catch (reason) {
            error = reason;
          }
          expectVerdict(verdictOn(concat(given), error), wanted, `${change}, fetched`);
        }
      }
    });
  });
});
