// Helpers that the calls of several rivals are built from.
import { pieceLength, turns } from "../cases/cases.mjs";

/** Returns a function that converts each input once, so that no rival's time includes it. */
function once(make) {
  const made = new WeakMap();
  return (input) => {
    if (!made.has(input)) made.set(input, make(input));
    return made.get(input);
  };
}

/** The input in pieces of `pieceLength` bytes. */
const pieces = once(cutUp);

function cutUp(bytes) {
  const parts = [];
  for (let start = 0; start < bytes.length; start += pieceLength)
    parts.push(bytes.subarray(start, start + pieceLength));
  return parts;
}

const digest = (hasher) => hasher.digest();

/** What a rival offers as "incremental": `start()` gives a hasher, and `finish` its digest. */
export const hashers = (start, finish = digest) => ({ start, finish });

/** The input as 32-bit numbers. */
const numbersOf = once(readNumbers);

function readNumbers({ buffer, byteOffset, length }) {
  const view = new DataView(buffer, byteOffset, length);
  return Array.from({ length: length / 4 }, (_, index) => view.getUint32(4 * index, true));
}

let copies = 0;

/**
 * A copy of a function, which must use no outer variable: each rival's hasher needs type feedback of its own.
 */
function ownCopy(work) {
  copies += 1;
  return new Function(`return ${work} // ${copies}`)();
}

/** The call that gives each part of the input to `append`. */
function feeder({ start, finish }, partsOf, append) {
  const feed = (start, finish, partsOf, append) => (bytes) => {
    const hasher = start();
    for (const part of partsOf(bytes)) append(hasher, part);
    return finish(hasher);
  };
  return ownCopy(feed)(start, finish, partsOf, append);
}

const update = (hasher, piece) => hasher.update(piece);

/** The call of mode "typed" for hashers that take numbers themselves. */
export const typed = (hashers, append) => feeder(hashers, numbersOf, append);

/** For hashers that take bytes: writes each number to the same four bytes, which is the fastest way. */
function numberWriter() {
  const four = asBuffer(new Uint8Array(4));
  const view = new DataView(four.buffer, four.byteOffset, four.length);
  const write = (view, four) => (hasher, number) => {
    view.setUint32(0, number, true);
    hasher.update(four);
  };
  return ownCopy(write)(view, four);
}

/** mode -> how hashers are fed in it. */
export const feeding = {
  stream: (hashers) => feeder(hashers, pieces, ownCopy(update)),
  typed: (hashers) => feeder(hashers, numbersOf, numberWriter()),
};

/** The call of mode "save": the state is taken at the first call, then saved and restored at each. */
export function resumed(start, saveAndRestore, finish = digest) {
  let hasher;
  return (bytes) => {
    hasher ??= start().update(bytes);
    return finish(saveAndRestore(hasher));
  };
}

const bufferOf = once(({ buffer, byteOffset, length }) => Buffer.from(buffer, byteOffset, length));

/** The input for a package that takes nothing but a Buffer. */
export const asBuffer = (bytes) => (typeof Buffer === "undefined" || bytes instanceof Buffer ? bytes : bufferOf(bytes));

/** A hasher that takes nothing but Buffers, for `hashers`. */
export const bufferHasher = (hasher) => ({
  update: (piece) => hasher.update(asBuffer(piece)),
  digest: () => hasher.digest(),
});

/** The same builders under several algorithms' names. */
export function forEachOf(names, offersOf) {
  return Object.fromEntries(names.map((name) => [name, offersOf(name)]));
}

/** What `work` resolves to in Node, Deno and Bun; undefined in a page. */
export const whenNode = async (work) => (globalThis.process?.versions ? work() : undefined);

export const blobOf = once((bytes) => new Blob([bytes]));

const fs = await whenNode(() => import("node:fs"));
const os = await whenNode(() => import("node:os"));

/** A folder for this process's files. */
const folderOf = once(({ tmpdir }) => {
  const folder = fs.mkdtempSync(`${tmpdir()}/blake-simd-bench-`);
  globalThis.process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
});

let files = 0;

/** The path of a file that has these bytes. */
export const pathOf = once((bytes) => {
  const path = `${folderOf(os)}/${files++}`;
  fs.writeFileSync(path, bytes);
  return path;
});

const CHUNK = 65_536;

/** A stream of these bytes in chunks of 64 KiB. */
export function streamOf(bytes) {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + CHUNK));
      at += CHUNK;
    },
  });
}

export async function readAll(stream) {
  const reader = stream.getReader();
  while (!(await reader.read()).done);
}

/** The call of mode "turns": two hashers, each given its piece in turn. */
export function inTurn(start, finish) {
  const work = (turns, start, finish) => (pieces) => {
    const [a, b] = [start(0), start(1)];
    const [first, second] = pieces;
    for (let turn = 0; turn < turns; turn++) {
      a.update(first);
      b.update(second);
    }
    return [finish(a), finish(b)];
  };
  return ownCopy(work)(turns, start, finish);
}

/** The call of a new or a used hasher for each message. */
export function fedOnce(start, finish) {
  const work = (start, finish) => (bytes) => finish(start().update(bytes));
  return ownCopy(work)(start, finish);
}

/** Hexadecimal text by an engine's own means, for packages that have none. */
export const hexOf = (bytes) =>
  bytes.toHex ? bytes.toHex() : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");
