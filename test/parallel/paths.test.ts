// What is a file to a pool and to outboardOf, with or without a pool, and what is none although it has a path: a part
// of a file, or one that somebody else names.
import { createReadStream } from "node:fs";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { runInNewContext } from "node:vm";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { outboardOf } from "blake-simd/bao";
import type { Blake3Source } from "blake-simd/parallel";
import { afterAll, describe, expect, it } from "vitest";
import { expectBytes } from "../support/messages.ts";
import { digestOf, fileOf, MESSAGE, path, pool, within } from "../support/pool.ts";

const file = fileOf(MESSAGE);

const opened: { destroy(): void }[] = [];
afterAll(() => {
  for (const stream of opened) stream.destroy();
});
const stream = (range = {}) => {
  const made = createReadStream(file, range);
  opened.push(made);
  return made;
};
const request = (): object => {
  const socket = new Socket();
  opened.push(socket);
  return Object.assign(new IncomingMessage(socket), { path: file });
};

/** Everything that has a path, or is text, and is no file. */
const others: Record<string, () => unknown> = {
  "the file's name": () => file,
  "a stream of a part": () => stream({ start: 10, end: 19 }),
  "a request": request,
  "a path and a start": () => ({ path: file, start: 10 }),
  "a path and what is undefined": () => ({ path: file, start: undefined }),
  ...Object.fromEntries(
    [[], () => {}, new Error("ENOENT")].map((value) => [
      Object.prototype.toString.call(value),
      () => Object.assign(value, { path: file }),
    ]),
  ),
};

describe("no source", () => {
  it.each(Object.entries(others))(
    "is %s, for a pool and an outboard: the error says what to pass",
    async (name, make) => {
      const source = (await make()) as never;
      for (const call of [pool.hash(source), outboardOf(source, { pool })]) {
        const error = await call.catch((reason) => reason);
        expect(error).toBeInstanceOf(TypeError);
        const must = "Blake3Pool.hash: source must be bytes, a Blob, a plain { path } without other properties, ";
        expect(error.message.startsWith(must), error.message).toBe(true);
        // Neither a name nor a path.
        expect(error.message).not.toContain(file);
      }
      if (!/stream|request|Array|Map|String/.test(name))
        await expect(outboardOf(source)).rejects.toBeInstanceOf(TypeError);
    },
  );
});

it("a plain object of any realm, or without a prototype, is a file if it has a path alone, which is read once", async () => {
  let reads = 0;
  const once = {
    get path() {
      return reads++ % 2 === 0 ? file : path("another");
    },
  };
  expectBytes(await pool.hash(once), digestOf(MESSAGE.length));
  expect(reads).toBe(1);
  const plain: Blake3Source[] = [
    Object.assign(Object.create(null), { path: file }),
    runInNewContext("({ path: file })", { file }),
    runInNewContext("({ path: bytes })", { bytes: Buffer.from(file) }),
  ];
  for (const source of plain) {
    expectBytes(await pool.hash(source), digestOf(MESSAGE.length));
    expectBytes((await outboardOf(source, { pool })).root, digestOf(MESSAGE.length));
  }
  expectBytes((await outboardOf(stream({ start: 10, end: 19 }))).root, nobleBlake3(MESSAGE.subarray(10, 20)));
});

it("a path in bytes is the one that was passed, and named in errors even if its buffer is shared", async () => {
  const bytes = within(SharedArrayBuffer, Buffer.from(file));
  const hash = pool.hash({ path: bytes });
  bytes.fill(120);
  expectBytes(await hash, digestOf(MESSAGE.length));
  bytes.set(Buffer.from(file.replace(/.$/, "?")));
  await expect(pool.hash({ path: bytes })).rejects.toMatchObject({ code: "ENOENT", path: file.replace(/.$/, "?") });
});
