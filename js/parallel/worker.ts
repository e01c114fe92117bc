// The worker's script. It is bundled as text, so that there is no file to serve or to locate.
import { useVectorLatency } from "../engine/vector-latency.js";
import { builtin, type FileSystem } from "../input/builtin.js";
import { bytesOf } from "../sources/blobs.js";
import { readFullySync } from "../sources/reads.js";
import { memoryFor } from "../tree/kernel.js";
import type { ErrorMessage, PartMessage, Path, Place, Reply, Start } from "./messages.js";
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

/** The members of a browser's worker scope that are used here. */
interface Scope {
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void;
  onmessage: (event: { data: Start | PartMessage }) => void;
  onmessageerror: () => void;
}

const CALL = "Blake3Pool.hash";
const parent = builtin("node:worker_threads")?.parentPort;
const scope = globalThis as unknown as Scope;
let kernel: PartKernel;

function receive(message: Start | PartMessage): void {
  if ("module" in message) {
    start(message);
    return;
  }
  const { slot, place } = message;
  const buffer = place.kind === "moved" ? place.buffer : undefined;
  perform(message).then(
    (values) => reply({ slot, values, buffer }, buffer && [buffer]),
    (error) => reply({ slot, error: errorMessageOf(error) }),
  );
}

function reply(message: Reply, transfer?: ArrayBuffer[]): void {
  (parent ?? scope).postMessage(message, transfer);
}

function start({ module, memory, area, latency }: Start): void {
  if (latency) useVectorLatency(latency);
  kernel = newPartKernel(module, memory ?? memoryFor(SLOTS * SLOT_SIZE), area);
  reply({ ready: true });
}

async function perform(job: PartMessage): Promise<Uint8Array> {
  const { place } = job;
  // Only a Blob's bytes need an await; hashing runs synchronously.
  const bytes = place.kind === "blob" ? await bytesOf(CALL, place.blob, job.length) : undefined;
  return bytes ? hashPart(kernel, job, filler(bytes)) : hashPlace(job, place);
}

function hashPlace(job: PartMessage, place: Place): Uint8Array {
  switch (place.kind) {
    case "shared":
      return hashPart(kernel, job, filler(place.bytes));
    case "moved":
      return hashMoved(job, new Uint8Array(place.buffer, 0, job.length));
    case "descriptor":
      return hashPart(kernel, job, reader(place.descriptor, place.position));
    case "path":
      return hashFile(job, place.path, place.identity, place.position);
    default:
      return hashPart(kernel, job);
  }
}

function hashMoved(job: PartMessage, bytes: Uint8Array): Uint8Array {
  try {
    return hashPart(kernel, job, filler(bytes));
  } finally {
    bytes.fill(0);
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

function errorMessageOf(error: unknown): ErrorMessage {
  const { message, name, code, errno, syscall } = error as NodeJS.ErrnoException;
  return { message, name, code, errno, syscall };
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
