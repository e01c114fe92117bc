// Instances that an exception has left: they are never called again, nothing is left in the memory, and the next values
// are right.
import { afterEach, beforeEach, it } from "vitest";
import { useBackend } from "../../js/engine/backend.ts";
import { useVectorLatency } from "../../js/engine/vector-latency.ts";
import { AREA_SIZE, filler, hashPart, newPartKernel } from "../../js/parallel/part-kernel.ts";
import { FIRST_AREA, PAGE } from "../../js/tree/kernel.ts";
import { treeModule } from "../../js/tree/module.ts";
import { eachBackend } from "../support/backends.ts";
import { expectBytes } from "../support/messages.ts";
import { KIB } from "../support/pool.ts";
import { keyed, subtreeValue } from "../support/specification.ts";

const MESSAGE = crypto.getRandomValues(new Uint8Array(40 * KIB + 5));
const KEY = crypto.getRandomValues(new Uint8Array(32));
const KEYED_HASH = 16;

function parameters(): Uint8Array {
  const bytes = new Uint8Array(36);
  bytes.set(KEY);
  bytes[32] = KEYED_HASH;
  return bytes;
}

const part = () => ({ slot: 1, offset: 0, length: MESSAGE.length, group: 16 * KIB, parameters: parameters() });

function newMemory(): WebAssembly.Memory {
  const pages = (FIRST_AREA + AREA_SIZE) / PAGE;
  return new WebAssembly.Memory({ initial: pages, maximum: pages });
}

const newKernel = (memory: WebAssembly.Memory) => newPartKernel(treeModule(), memory, FIRST_AREA);

const { Instance } = WebAssembly;
afterEach(() => {
  WebAssembly.Instance = Instance;
});

eachBackend((backend, latency) => {
  // Of the source, which is not what the package's entries have.
  beforeEach(() => {
    useBackend(backend);
    useVectorLatency(latency);
  });

  const wanted = () => hashPart(newKernel(newMemory()), part(), filler(MESSAGE));

  it("the bytes are wiped", () => {
    const memory = new WebAssembly.Memory({ initial: 80, maximum: 80 });
    const address = 40 * PAGE;
    const bytes = new Uint8Array(memory.buffer, address, MESSAGE.length);
    bytes.set(MESSAGE);
    expectBytes(hashPart(newKernel(memory), part(), address), wanted());
    expectBytes(bytes, new Uint8Array(MESSAGE.length));
  });

  it("values of the groups of a part from chunk 2^42 + 2^20 on", () => {
    const chunk = 2 ** 42 + 2 ** 20;
    const mode = keyed(KEY);
    const kernel = newKernel(newMemory());
    // A whole piece of 256 KiB and the beginning of another.
    const bytes = Buffer.concat(Array(7).fill(MESSAGE)).subarray(0, 261 * KIB + 9);
    for (const group of [8 * KIB, 256 * KIB]) {
      const own = { ...part(), offset: chunk * KIB, length: bytes.length, group };
      const groups = Array.from({ length: Math.ceil(bytes.length / group) }, (_, i) =>
        subtreeValue(mode, bytes.subarray(i * group, (i + 1) * group), BigInt(chunk) + BigInt((i * group) / KIB)),
      );
      expectBytes(hashPart(kernel, own, filler(bytes)), Buffer.concat(groups));
    }
  });
});
