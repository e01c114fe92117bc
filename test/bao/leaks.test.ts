// Nothing of a message stays in the memory of the subtree kernel: not after an outboard, an encoding, a verification,
// or one that fails. Each runs with two messages that differ in every byte; afterwards memory must be the same.
import {
  BaoDecodeStream,
  BaoEncodeStream,
  fetchVerified,
  OutboardStream,
  outboard,
  outboardOf,
  outboardOfGroups,
  VerifiedRangeStream,
} from "blake-simd/bao";
import { SubtreeGroupHasher } from "blake-simd/hazmat";
import { expect, it } from "vitest";
import { VECTOR_LATENCY } from "../../js/engine/memory.ts";
import { concat, flipped, passed } from "../support/bao.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const memories: WebAssembly.Memory[] = [];
const { Instance } = WebAssembly;
WebAssembly.Instance = class {
  constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
    // A kernel that an error has dropped leaves its memory to the next one.
    const memory = imports?.env?.memory as WebAssembly.Memory | undefined;
    if (memory && !memories.includes(memory)) memories.push(memory);
    // biome-ignore lint/correctness/noConstructorReturn: an instance is what `new` must give.
    return new Instance(module, imports);
  }
} as typeof WebAssembly.Instance;

const LENGTHS = [1, 1024, 1025, 5000, 70_000, 600_000];
const KiB = 1024;

const GROUP = { group: KiB };

type Reason = (length: number) => unknown;
const fine: Reason = () => undefined;

type Change = (bytes: Bytes) => readonly (Uint8Array | string)[];

/** What a stream gets of its bytes, and the reason or the name of the error that ends it. */
const changes: [name: string, change: Change, ends: string | undefined][] = [
  ["right bytes", (bytes) => [bytes], undefined],
  ["a wrong byte", (bytes) => [flipped(bytes, bytes.length - 1)], "bytes"],
  ["too few bytes", (bytes) => [bytes.subarray(0, -1)], "truncated"],
  ["too many", (bytes) => [bytes, bytes], "trailing"],
  ["text", (bytes) => [bytes.subarray(0, -1), "text"], "TypeError"],
];

/** What is done with a message, and how it ends: with nothing, or with an error's reason or name. */
const uses: [name: string, use: (message: Bytes) => unknown, ends: Reason][] = [
  ["outboard", (message) => void outboard(message, GROUP), fine],
  ["outboardOf", async (message) => void (await outboardOf([message.subarray(0, 99), message.subarray(99)])), fine],
  ["check", (message) => outboard(message, GROUP).check(), fine],
  ["outboardOfGroups", (message) => ofGroups(message), fine],
  ["OutboardStream", (message) => ending(new OutboardStream(), [message]), fine],
  ...Object.entries({ BaoEncodeStream: encode, BaoDecodeStream: decode, VerifiedRangeStream: verify }).flatMap(
    ([taker, use]) =>
      changes.map(([name, change, ends]): (typeof uses)[number] => [
        `${taker} of ${name}`,
        (message) => use(message, change),
        () => ends,
      ]),
  ),
  [
    "BaoDecodeStream of a wrong node",
    (message) => decode(message, (bytes) => [flipped(bytes, 8)]),
    (length) => (length > KiB ? "node" : "bytes"),
  ],
  [
    "VerifiedRangeStream of a range before the last group",
    (message) => verify(message, (bytes) => [bytes], { end: 1 }),
    (length) => (length > KiB ? "trailing" : undefined),
  ],
  ["fetchVerified of a body that fails", (message) => fetchCut(message), () => "Error"],
];

function ofGroups(message: Bytes): void {
  const { length, root } = outboard(message);
  if (length <= KiB) return;
  const values = new SubtreeGroupHasher(GROUP).update(message).groupValues();
  outboardOfGroups(values, { root, length, group: KiB });
}

/** Writes chunks of bytes, in pieces, or of something else; returns how the stream ends. */
async function ending(
  { readable, writable }: TransformStream<Uint8Array, Uint8Array>,
  chunks: readonly (Uint8Array | string)[],
): Promise<string | undefined> {
  const pieces = chunks.flatMap<Uint8Array | string>((chunk) =>
    typeof chunk === "string" ? [chunk] : inPieces(chunk),
  );
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece as Uint8Array);
    },
  });
  return reasonOf(source.pipeTo(writable), drained(readable));
}

function inPieces(bytes: Uint8Array): Uint8Array[] {
  const pieces = [];
  for (let at = 0; at < bytes.length; at += 9999) pieces.push(bytes.subarray(at, at + 9999));
  return pieces;
}

async function drained(readable: ReadableStream<Uint8Array>): Promise<void> {
  const reader = readable.getReader();
  while (!(await reader.read()).done);
}

async function reasonOf(...running: Promise<unknown>[]): Promise<string | undefined> {
  const [failed] = (await Promise.allSettled(running)).filter(({ status }) => status === "rejected");
  const error = (failed as PromiseRejectedResult | undefined)?.reason;
  return error?.reason ?? error?.name;
}

function encode(message: Bytes, change: Change) {
  return ending(new BaoEncodeStream(outboard(message, GROUP)), change(message));
}

async function decode(message: Bytes, change: Change) {
  const tree = outboard(message, GROUP);
  const encoding = await passed(new BaoEncodeStream(tree), message, 9999);
  return ending(new BaoDecodeStream(tree.root, GROUP), change(encoding));
}

function verify(message: Bytes, change: Change, range = {}) {
  return ending(new VerifiedRangeStream(outboard(message, GROUP), range), change(message));
}

async function fetchCut(message: Bytes): Promise<string | undefined> {
  const { length } = message;
  const pieces = [message.subarray(0, -1)];
  const body = new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece?.length) controller.enqueue(piece);
      else controller.error(new Error("the connection is lost"));
    },
  });
  const headers = { "content-range": `bytes 0-${length - 1}/${length}` };
  const tree = outboard(message, GROUP);
  const fetch = async () => new Response(body, { status: 206, headers });
  return reasonOf(drained(await fetchVerified("https://example.com", { root: tree.root, outboard: tree, fetch })));
}

it.each(uses)("%s", async (_, use, ends) => {
  for (const length of LENGTHS) {
    const [first, second] = [new Uint8Array(length).fill(7), new Uint8Array(length).fill(248)];
    expect(await use(first)).toBe(ends(length));
    expect(memories.length).toBeGreaterThan(0);
    const after = concat(memories.map(({ buffer }) => new Uint8Array(buffer)));
    expect(await use(second)).toBe(ends(length));
    const other = concat(memories.map(({ buffer }) => new Uint8Array(buffer)));
    const differing = after.findIndex((byte, at) => byte !== other[at] && at !== VECTOR_LATENCY);
    expect(differing, `first address that differs, for ${length} bytes`).toBe(-1);
  }
});

const seen = () => new Uint8Array(memories[0]!.buffer).filter((byte) => byte === 7).length;

it("of a fetched range that its reader cancels, nothing is seen afterwards", async () => {
  const message = new Uint8Array(70_000).fill(7);
  const tree = outboard(message, GROUP);
  const body = new ReadableStream({ pull: (controller) => controller.enqueue(message.subarray(0, 9999)) });
  const headers = { "content-range": "bytes 0-69999/70000" };
  const fetch = async () => new Response(body, { status: 206, headers });
  const reader = (await fetchVerified("https://example.com", { root: tree.root, outboard: tree, fetch })).getReader();
  expect((await reader.read()).value?.[0]).toBe(7);
  expect(seen()).toBeGreaterThan(1000);
  await reader.cancel();
  expect(seen()).toBeLessThan(1000);
});

it("a message that is being verified is seen there", async () => {
  const message = new Uint8Array(70_000).fill(7);
  const { readable, writable } = new VerifiedRangeStream(outboard(message, { group: KiB }));
  const writer = writable.getWriter();
  const reader = readable.getReader();
  await Promise.all([writer.write(message.subarray(0, 5000)), reader.read()]);
  expect(seen()).toBeGreaterThan(1000);
  const rest = [writer.write(message.subarray(5000)), writer.close()];
  while (!(await reader.read()).done);
  await Promise.all(rest);
  expect(seen()).toBeLessThan(1000);
});
