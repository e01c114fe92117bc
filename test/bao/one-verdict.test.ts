// One verdict for the same bytes: whatever is wrong, it is found at the same place in chunks of any size, after the same output.
import { describe, expect, it } from "vitest";
import { Outboard } from "../../js/bao/outboard.ts";
import { outboard } from "../../js/bao/outboard-of.ts";
import { concat, content, flipped } from "../support/bao.ts";
import { Decoding, encoderOf, verifierOf } from "../support/bao-machines.ts";

const KiB = 1024;
const GROUP = KiB;
const LENGTH = 13 * KiB + 300;
const NODES = 13;
const message = content(LENGTH);
const tree = outboard(message, { group: GROUP });
const { root } = tree;
const trailing = { reason: "trailing", offset: LENGTH };
const SIZES = [1, 999, 1500, 10_000];

interface Taker {
  push(bytes: Uint8Array): void;
  end(): void;
}

type Make = (give: (bytes: Uint8Array) => void) => Taker;

/** What comes out of bytes in chunks of a size, and how it ends. */
function verdict(make: Make, bytes: Uint8Array, size: number) {
  const given: Uint8Array[] = [];
  const how = (error: unknown) => {
    const { name, message: text, reason, offset } = error as Error & { reason: unknown; offset: unknown };
    return { given: Buffer.from(concat(given)).toString("hex"), name, text, reason, offset };
  };
  try {
    const taker = make((part) => given.push(part));
    for (let at = 0; at < bytes.length; at += size) taker.push(bytes.subarray(at, at + size));
    taker.end();
    return how({});
  } catch (error) {
    return how(error);
  }
}

/** The verdict on bytes in one chunk, which is the one in smaller ones. */
function oneVerdict(make: Make, bytes: Uint8Array) {
  const whole = verdict(make, bytes, Math.max(1, bytes.length));
  for (const size of SIZES) expect(verdict(make, bytes, size), `in chunks of ${size} bytes`).toEqual(whole);
  return whole;
}

const FORMATS = ["bao", "iroh", "post-order"] as const;

/** An outboard of all nodes with a change, read as a whole, and as a part. */
function changed(format: (typeof FORMATS)[number], change: (nodes: Uint8Array) => Uint8Array): Outboard[] {
  const options = { root, length: LENGTH, group: GROUP, format };
  const all = tree.toBytes(format);
  const start = format === "bao" ? 8 : 0;
  const bytes = concat([all.subarray(0, start), change(all.subarray(start))]);
  const part = Outboard.fromParts([{ start, bytes: bytes.subarray(start) }], options);
  return bytes.length === all.length ? [Outboard.from(bytes, options), part] : [part];
}

const users: [name: string, make: (nodes: Outboard) => Make][] = [
  ["a verified range", (nodes) => (give) => verifierOf(nodes, {}, give)],
  ["an encoding", (nodes) => (give) => encoderOf(nodes, {}, give)],
  ["an encoding for iroh", (nodes) => (give) => encoderOf(nodes, { format: "iroh" }, give)],
];

describe.each(users)("%s", (_, make) => {
  it.each(FORMATS)("is right with the nodes as they are, in %s", (format) => {
    for (const nodes of changed(format, (bytes) => bytes)) {
      expect(oneVerdict(make(nodes), message).name).toBeUndefined();
    }
  });

  it.each(FORMATS)("fails at the node that is damaged, over right bytes, in %s", (format) => {
    for (let number = 0; number < NODES; number++) {
      for (const byte of [0, 31, 32, 63]) {
        for (const nodes of changed(format, (bytes) => flipped(bytes, 64 * number + byte, byte % 8))) {
          const { name, reason } = oneVerdict(make(nodes), message);
          expect({ name, reason }).toEqual({ name: "IntegrityError", reason: "node" });
        }
      }
    }
  });

  it.each(FORMATS)("fails where a node is missing, in %s", (format) => {
    for (let count = 0; count < NODES; count++) {
      const [nodes] = changed(format, (bytes) => bytes.subarray(0, 64 * count)) as [Outboard];
      const texts = [...SIZES, LENGTH].map((size) => verdict(make(nodes), message, size).text);
      expect(new Set(texts).size).toBe(1);
      expect(texts[0]).toMatch(/outboard must hold the range's nodes/);
    }
  });

  it("fails at content that is wrong, cut or too long", () => {
    for (let at = 0; at < LENGTH; at += 500) {
      expect(oneVerdict(make(tree), flipped(message, at, at % 8))).toMatchObject({
        reason: "bytes",
        offset: Math.floor(at / GROUP) * GROUP,
      });
      expect(oneVerdict(make(tree), message.subarray(0, at)).reason).toBe("truncated");
    }
    for (const more of [1, 5000]) {
      expect(oneVerdict(make(tree), concat([message, new Uint8Array(more)]))).toMatchObject(trailing);
    }
  });

  it("fails at the first of a wrong node and wrong content", () => {
    for (let number = 0; number < NODES; number++) {
      for (let at = 0; at < LENGTH; at += 3 * KiB) {
        const [nodes] = changed("bao", (bytes) => flipped(bytes, 64 * number, 0)) as [Outboard];
        expect(oneVerdict(make(nodes), flipped(message, at, 0)).name).toBe("IntegrityError");
      }
    }
  });
});

describe.each(["bao", "iroh"] as const)("decoding %s", (format) => {
  const make: Make = (give) => new Decoding(root, { format, group: GROUP }, give);
  const parts: Uint8Array[] = [];
  const encoder = encoderOf(tree, { format }, (bytes) => parts.push(bytes));
  encoder.push(message);
  encoder.end();
  const encoding = concat(parts);

  it("fails where a bit is flipped, and where the end is missing", () => {
    expect(oneVerdict(make, encoding).name).toBeUndefined();
    for (let at = 8; at < encoding.length; at += at < 600 ? 1 : 61) {
      expect(["bytes", "node"]).toContain(oneVerdict(make, flipped(encoding, at, at % 8)).reason);
      expect(oneVerdict(make, encoding.subarray(0, at)).reason).toBe("truncated");
    }
    expect(oneVerdict(make, concat([encoding, new Uint8Array(5)]))).toMatchObject(trailing);
  });
});
