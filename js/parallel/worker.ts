// The worker's script. It is bundled as text, so that there is no file to serve or to locate.
import { useVectorLatency } from "../engine/vector-latency.js";
import { builtin, type FileSystem } from "../input/builtin.js";
import { memoryFor } from "../tree/kernel.js";
import type { PartMessage, Reply, Start } from "./messages.js";
import {
  becameShorter,
  bytesOf,
  type Fill,
  filler,
  hashPart,
  newPartKernel,
  type PartKernel,
  SLOT_SIZE,
  SLOTS,
} from "./part-kernel.js";

type Message = Start | PartMessage;

/** The members of a browser's worker scope that are used here. */
interface Scope {
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void;
  onmessage: (event: { data: Message }) => void;
  onmessageerror: () => void;
}

const parent = builtin("node:worker_threads")?.parentPort;
const scope = globalThis as unknown as Scope;
let kernel: PartKernel;

function receive(message: Message): void {
  if (!message.place) {
    start(message);
    return;
  }
  const { slot, place, parameters } = message;
  const moved = place.kind === "moved" ? place.bytes : undefined;
  perform(message)
    .finally(() => {
      moved?.fill(0);
      parameters?.fill(0);
    })
    .then(
      (value) => reply({ kind: "values", slot, value, buffer: moved?.buffer }, moved && [moved.buffer]),
      ({ message, name, code, errno, syscall }: NodeJS.ErrnoException) =>
        reply({ kind: "error", slot, value: { message, name, code, errno, syscall } }),
    );
}

function reply(message: Reply, transfer?: ArrayBuffer[]): void {
  (parent ?? scope).postMessage(message, transfer);
}

function start({ module, memory, area, latency }: Start): void {
  if (latency) useVectorLatency(latency);
  kernel = newPartKernel(module, memory ?? memoryFor(SLOTS * SLOT_SIZE), area);
  reply({ kind: "ready" });
}

/** Returns a part's chaining values. Only a Blob's bytes need an await. */
async function perform(job: PartMessage): Promise<Uint8Array> {
  const { place, length } = job;
  switch (place.kind) {
    case "shared":
    case "moved":
      return hashPart(kernel, job, filler(place.bytes));
    case "blob":
      return hashPart(kernel, job, filler(await bytesOf(place.blob, length)));
    case "descriptor":
      return hashPart(kernel, job, reader(place.descriptor, place.position));
    case "slot":
      return hashPart(kernel, job);
  }
}

function reader(descriptor: number, position: number): Fill {
  const { readSync } = builtin("node:fs") as FileSystem;
  return (target, from) => {
    for (let filled = 0; filled < target.length; ) {
      const length = readSync(descriptor, target, filled, target.length - filled, position + from + filled);
      if (length === 0) throw becameShorter();
      filled += length;
    }
  };
}

// If a message cannot be received, the worker ends, so that its jobs fail.
function fail(): never {
  throw new Error("a message could not be received");
}

if (parent) {
  parent.on("message", receive);
  parent.on("messageerror", fail);
} else {
  scope.onmessage = (event) => receive(event.data);
  scope.onmessageerror = fail;
}
