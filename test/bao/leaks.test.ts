// Nothing of a message stays in the memory of the subtree kernel: not after an outboard, an encoding, a verification, or one
// that fails. Each runs with two messages that differ in every byte; afterwards memory must be the same.
import {
  BaoDecodeStream,
  BaoEncodeStream,
  OutboardStream,
  outboard,
  outboardOf,
  outboardOfGroups,
  VerifiedRangeStream,
} from "blake-simd/bao";
import { SubtreeGroupHasher } from "blake-simd/hazmat";
import { expect, it } from "vitest";
import { flipped, passed, through } from "../support/bao.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const memories: WebAssembly.Memory[] = [];
const { Instance } = WebAssembly;
WebAssembly.Instance = class {
  constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
    if (imports?.env?.memory) memories.push(imports.env.memory as WebAssembly.Memory);
    // biome-ignore lint/correctness/noConstructorReturn: an instance is what `new` must give.
    return new Instance(module, imports);
  }
} as typeof WebAssembly.Instance;

const LENGTHS = [1, 1024, 1025, 5000, 70_000, 600_000];
const KiB = 1024;

const uses: [name: string, use: (message: Bytes) => unknown][] = [
  ["outboard", (message) => outboard(message, { group: KiB })],
  ["outboardOf", (message) => outboardOf([message.subarray(0, 99), message.subarray(99)])],
  ["check", (message) => outboard(message, { group: KiB }).check()],
  ["outboardOfGroups", (message) => ofGroups(message)],
  ["OutboardStream", (message) => passed(new OutboardStream(), message, 9999)],
  ["BaoEncodeStream", (message) => encoding(message)],
  ["BaoDecodeStream", async (message) => decode(message, await encoding(message))],
  ["BaoDecodeStream of a wrong byte", async (message) => decode(message, flipped(await encoding(message), 8))],
  ["BaoDecodeStream of too few bytes", async (message) => decode(message, (await encoding(message)).subarray(0, -1))],
  ["VerifiedRangeStream", (message) => verify(message, message)],
  ["VerifiedRangeStream of a wrong byte", (message) => verify(message, flipped(message, 0))],
  ["VerifiedRangeStream of too few bytes", (message) => verify(message, message.subarray(0, -1))],
];

function ofGroups(message: Bytes): void {
  const { length, root } = outboard(message);
  if (length <= KiB) return;
  const values = new SubtreeGroupHasher({ group: KiB }).update(message).groupValues();
  outboardOfGroups(values, { root, length, group: KiB });
}

const encoding = (message: Bytes) => passed(new BaoEncodeStream(outboard(message)), message, 9999);
const decode = (message: Bytes, bytes: Bytes) => through(new BaoDecodeStream(outboard(message).root), bytes, 9999);
const verify = (message: Bytes, bytes: Bytes) => through(new VerifiedRangeStream(outboard(message)), bytes, 9999);

it.each(uses)("%s", async (_, use) => {
  for (const length of LENGTHS) {
    const [first, second] = [new Uint8Array(length).fill(7), new Uint8Array(length).fill(248)];
    await use(first);
    expect(memories).toHaveLength(1);
    const after = new Uint8Array(memories[0]!.buffer.slice());
    await use(second);
    const other = new Uint8Array(memories[0]!.buffer);
    const differing = after.findIndex((byte, at) => byte !== other[at]);
    expect(differing, `first address that differs, for ${length} bytes`).toBe(-1);
  }
});

it("a message that is being verified is seen there", async () => {
  const message = new Uint8Array(70_000).fill(7);
  const { readable, writable } = new VerifiedRangeStream(outboard(message, { group: KiB }));
  const writer = writable.getWriter();
  const reader = readable.getReader();
  await Promise.all([writer.write(message.subarray(0, 5000)), reader.read()]);
  expect(new Uint8Array(memories[0]!.buffer).filter((byte) => byte === 7).length).toBeGreaterThan(1000);
  const rest = [writer.write(message.subarray(5000)), writer.close()];
  while (!(await reader.read()).done);
  await Promise.all(rest);
  expect(new Uint8Array(memories[0]!.buffer).filter((byte) => byte === 7).length).toBeLessThan(1000);
});
