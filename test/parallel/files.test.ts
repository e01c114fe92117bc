// What is a file to a pool and to outboardOf, with or without a pool, and what is none although it has a path: a part of a file,
// or one that somebody else names. And files whose size is not the number of their bytes.
import { createReadStream, type Dirent, type PathLike, readFileSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { type ClientRequest, IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { outboardOf } from "blake-simd/bao";
import type { Blake3Source } from "blake-simd/parallel";
import { afterAll, describe, expect, it } from "vitest";
import { expectBytes } from "../support/messages.ts";
import { digestOf, handleOf, MESSAGE, MIB, poolAndFolder, withPool } from "../support/pool.ts";

const { pool, path } = poolAndFolder();
const file = path("message");

const streams: (ReturnType<typeof createReadStream> | Socket)[] = [];
const streamOf = (name: PathLike, range = {}) => {
  const stream = createReadStream(name, range);
  streams.push(stream);
  return stream;
};
afterAll(() => {
  for (const stream of streams) stream.destroy();
});

const request = (): object => {
  const socket = new Socket();
  streams.push(socket);
  return Object.assign(new IncomingMessage(socket), { path: file });
};

class Named {
  readonly path = file;
}

const openStream = async () => {
  const stream = streamOf(file, { start: 10, end: 19 });
  await new Promise<void>((ready) => stream.once("ready", ready));
  return stream;
};

/** Everything that has a path, or is text, and is no file. */
const others: [name: string, make: () => unknown][] = [
  ["the file's name", () => file],
  ["a String object", () => new String(file)],
  ["a stream of a part", () => streamOf(file, { start: 10, end: 19 })],
  ["a stream of a part that has been opened", openStream],
  ["such a stream with what a handle has", async () => Object.assign(await openStream(), { stat: async () => ({}) })],
  ["a stream of all", () => streamOf(file)],
  ["a request", request],
  ["a path and a start", () => ({ path: file, start: 10 })],
  ["a path and an end", () => ({ path: file, end: 10 })],
  ["a path and what is undefined", () => ({ path: file, start: undefined })],
  ["a path and a symbol", () => ({ path: file, [Symbol("start")]: 10 })],
  [
    "a path and a property that cannot be enumerated",
    () => Object.defineProperty({ path: file }, "start", { value: 9 }),
  ],
  ["an inherited path", () => Object.create({ path: file })],
  ["an inherited start", () => Object.assign(Object.create({ start: 10 }), { path: file })],
  [
    "an inherited start without Object.prototype",
    () => Object.assign(Object.create(Object.assign(Object.create(null), { start: 10 })), { path: file }),
  ],
  [
    "a prototype that calls itself Object",
    () => {
      // A class of this name is no realm's.
      const { Object: Fake } = { Object: class {} };
      return Object.assign(new Fake(), { path: file });
    },
  ],
  ["an instance of a class", () => new Named()],
  ["an array", () => Object.assign([], { path: file })],
  ["a Map", () => Object.assign(new Map(), { path: file })],
  ["a function", () => Object.assign(() => {}, { path: file })],
  ["an error", () => Object.assign(new Error("ENOENT"), { path: file })],
];

const calls: [name: string, call: (source: never) => Promise<unknown>][] = [
  ["Blake3Pool.hash", (source) => pool.hash(source)],
  ["outboardOf with a pool", (source) => outboardOf(source, { pool })],
];

describe.each(calls)("%s", (_, call) => {
  it.each(others)("refuses %s, and says what to pass", async (_, make) => {
    const source = await make();
    const error = (await call(source as never).catch((reason) => reason)) as Error;
    expect(error).toBeInstanceOf(TypeError);
    const must = "Blake3Pool.hash: source must be bytes, a Blob, a plain { path } without other properties, ";
    expect(error.message.startsWith(must), error.message).toBe(true);
    // Neither a name nor a path.
    expect(error.message).not.toContain(file);
  });
});

describe("outboardOf without a pool", () => {
  it.each(others.filter(([name]) => !/stream|request|array|Map|String/.test(name)))("refuses %s", async (_, make) => {
    await expect(outboardOf((await make()) as never)).rejects.toBeInstanceOf(TypeError);
  });

  it("reads a stream, of a part too", async () => {
    const part = streamOf(file, { start: 10, end: 19 });
    expectBytes((await outboardOf(part)).root, nobleBlake3(MESSAGE.subarray(10, 20)));
  });
});

it("a plain object of any realm, or without a prototype, is a file if it has a path alone", async () => {
  const here: Blake3Source[] = [
    { path: file },
    Object.assign(Object.create(null), { path: file }),
    runInNewContext("({ path: file })", { file }),
    runInNewContext("({ path: bytes })", { bytes: Buffer.from(file) }),
    { path: pathToFileURL(file) },
    pathToFileURL(file),
  ];
  for (const source of here) {
    expectBytes(await pool.hash(source), digestOf(MESSAGE.length));
    expectBytes((await outboardOf(source, { pool })).root, digestOf(MESSAGE.length));
  }
});

it("a path is read once", async () => {
  let reads = 0;
  const source = {
    get path() {
      reads++;
      return reads === 1 ? file : path("another");
    },
  };
  expectBytes(await pool.hash(source), digestOf(MESSAGE.length));
  expect(reads).toBe(1);
});

it.each([0, 2])(
  "a handle of another file system, with a number of its own: its own bytes, with %i threads",
  async (threads) => {
    // The number is that of an open file of the system's.
    const real = await open(file);
    const content = new Uint8Array(4 * MIB).fill(7);
    const handle = { ...handleOf(content), fd: real.fd };
    await withPool({ threads }, async (own) => expectBytes(await own.hash(handle), nobleBlake3(content)));
    await real.close();
  },
);

describe.runIf(process.platform === "linux")(
  "a file of the kernel's, whose size is not the number of its bytes",
  () => {
    // 4096 bytes by its status, and fewer to read.
    const names = ["/sys/kernel/mm/transparent_hugepage/enabled", "/sys/kernel/uevent_seqnum", "/proc/version"];

    it.each(names)("%s", async (name) => {
      const wanted = nobleBlake3(readFileSync(name));
      expectBytes(await pool.hash({ path: name }), wanted);
      const handle = await open(name);
      expectBytes(await pool.hash(handle, { onProgress: () => {} }), wanted);
      await handle.close();
      expectBytes((await outboardOf({ path: name }, { pool })).root, wanted);
      await withPool({ threads: 0 }, async (own) => expectBytes(await own.hash({ path: name }), wanted));
    });
  },
);

it("a handle whose file takes no blocks and ends early is read to its end; another's became shorter", async () => {
  const handle = (blocks: bigint) => handleOf(MESSAGE.subarray(0, 2 * MIB), { size: BigInt(3 * MIB), blocks });
  for (const threads of [0, 2]) {
    await withPool({ threads }, async (own) => {
      expectBytes(await own.hash(handle(0n)), digestOf(2 * MIB));
      await expect(own.hash(handle(8n))).rejects.toThrow("the file became shorter while it was being hashed");
    });
  }
});

it("a file of which nothing is on a disk is read on all threads", async () => {
  const name = path("holes");
  writeFileSync(name, "");
  const handle = await open(name, "r+");
  await handle.truncate(3 * MIB);
  const progress: number[] = [];
  const digest = await pool.hash({ path: name }, { onProgress: (_, total) => progress.push(total as number) });
  expectBytes(digest, nobleBlake3(new Uint8Array(3 * MIB)));
  expect(new Set(progress)).toEqual(new Set([3 * MIB]));
  await handle.close();
});

/** Each is an error for the compiler, which checks that it is one. Never called. */
export async function typesRefuse(request: IncomingMessage & { path: string }, entry: Dirent, asked: ClientRequest) {
  const part = { path: file, start: 10 };
  interface Job {
    readonly path: string;
  }
  const job: Job = { path: file };
  // @ts-expect-error: text
  await pool.hash("big.bin");
  // @ts-expect-error: a stream
  await pool.hash(createReadStream(file));
  // @ts-expect-error: a part
  await pool.hash({ path: file, start: 10 });
  // @ts-expect-error: a part in a variable
  await pool.hash(part);
  // @ts-expect-error: a server's request
  await pool.hash(request);
  // @ts-expect-error: a client's request
  await pool.hash(asked);
  // @ts-expect-error: an entry of a folder
  await pool.hash(entry);
  // @ts-expect-error: an instance of a class
  await pool.hash(new Named());
  // @ts-expect-error: what may have other properties
  await pool.hash(job);
  // @ts-expect-error: a path that may be missing
  await pool.hash({ path: process.env.FILE });
  // @ts-expect-error: a part, with a pool
  await outboardOf(part, { pool });
  // @ts-expect-error: a path, without a pool
  await outboardOf({ path: file });
}

/** And each is none. */
export async function typesTake(handle: FileHandle, job: { path: string }, bytes: Uint8Array, blob: Blob) {
  const sources = [handle, job, bytes, bytes.buffer, blob, { path: bytes }, new URL("file:///a"), { path: job.path }];
  for (const source of sources) await pool.hash(source);
  await outboardOf({ path: file }, { pool });
  await outboardOf(createReadStream(file));
}
