// The worker's script. It is bundled as text, so that there is no file to serve or to locate.
import { useVectorLatency } from "../engine/vector-latency.js";
import { builtin, type FileSystem } from "../input/builtin.js";
import { bytesOf } from "../sources/blobs.js";
import { readFullySync } from "../sources/reads.js";
import { memoryFor } from "../tree/kernel.js";
import { CALL, type PartMessage, type Path, type Reply, type Start } from "./messages.js";
import {
  becameShorter,
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
  const { slot, place } = message;
  const moved = place.kind === "moved" ? place.bytes : undefined;
  perform(message)
    .finally(() => moved?.fill(0))
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

/** Returns a part's chaining values, or runs a program. Only a Blob's bytes need an await. */
async function perform(job: PartMessage): Promise<Uint8Array | undefined> {
  const { place, length } = job;
  switch (place.kind) {
    case "shared":
    case "moved":
      return hashPart(kernel, job, filler(place.bytes));
    case "blob":
      return hashPart(kernel, job, filler(await bytesOf(CALL, place.blob, length)));
    case "descriptor":
      return hashPart(kernel, job, reader(place.descriptor, place.position));
    case "path":
      return hashFile(job, place.path, place.identity, place.position);
    case "program":
      return require(place.path).perform(place.input);
    case "slot":
      return hashPart(kernel, job);
  }
}

function reader(descriptor: number, position: number): Fill {
  const { readSync } = builtin("node:fs") as FileSystem;
  return (target, from) => {
    const read = readFullySync(CALL, readSync, descriptor, target, position + from);
    if (read < target.length) throw becameShorter();
  };
}

/** Reopens the file by its path, if descriptors are not shared among threads, and checks that it is still the same. */
function hashFile(job: PartMessage, path: Path, identity: string, position: number): Uint8Array {
  const { closeSync, fstatSync, openSync } = builtin("node:fs") as FileSystem;
  const descriptor = openSync(path as string, "r");
  try {
    const { dev, ino } = fstatSync(descriptor, { bigint: true });
    if (`${dev}:${ino}` !== identity) throw new Error(`${CALL}: the file was replaced while it was being hashed`);
    return hashPart(kernel, job, reader(descriptor, position));
  } finally {
    closeSync(descriptor);
  }
}

// If a message cannot be received, the worker ends, so that the pool gives its jobs to another worker.
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
