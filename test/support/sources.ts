// Every kind of source that gives chunks, whose writer uses its memory again at the earliest moment that it may, and
// every kind that is whole. test/support/reads.ts has the calls that read them.
import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { runInNewContext } from "node:vm";
import { blake3 as noble } from "@noble/hashes/blake3.js";
import { blake2b, blake3 } from "blake-simd";
import { HashStream, type Source } from "blake-simd/streams";
import { pattern } from "./messages.ts";

const MOST = 65536;
const CONTENT = pattern(MOST + 1000);
const GARBAGE = 0xee;

/** The bytes of a message's chunk: of each chunk others. */
const contentOf = (index: number, size: number) => CONTENT.subarray(index * 7, index * 7 + size);

export const messageOf = (sizes: readonly number[]): Buffer =>
  Buffer.concat(sizes.map((size, index) => contentOf(index, size)));

const hashers = new Map([["", noble.create()]]);

function hasherOf(sizes: readonly number[]): ReturnType<typeof noble.create> {
  const name = sizes.join();
  const last = sizes.length - 1;
  const known = hashers.get(name) ?? hasherOf(sizes.slice(0, -1)).clone().update(contentOf(last, sizes[last]!));
  hashers.set(name, known);
  return known;
}

/** The digest of a message in chunks of these sizes, as @noble/hashes has it. */
export const expectedOf = (sizes: readonly number[]): Uint8Array => hasherOf(sizes).clone().digest();

const ForeignArray = runInNewContext("Uint8Array") as typeof Uint8Array;

/** A writer's memory, and what it gives of it: views of several kinds, of two realms. */
const own = new ArrayBuffer(MOST);
const shared = new SharedArrayBuffer(MOST);
const views: readonly ((size: number) => Uint8Array | DataView)[] = [
  (size) => new Uint8Array(own, 0, size),
  (size) => Buffer.from(own, 0, size),
  (size) => new ForeignArray(own, 0, size),
  (size) => new DataView(own, 0, size),
  (size) => new Uint8Array(shared, 0, size),
];
const [all, ofShared] = [new Uint8Array(own).fill(GARBAGE), new Uint8Array(shared).fill(GARBAGE)];
/** How many bytes of both the last chunk has. */
let lastSize = 0;

/** A live hasher of another message, which gets a byte at each step of a source. */
export const neighbour = { hasher: blake3.create(), steps: 0 };

/**
 * How a source's chunks lie in memory: in that of the chunk before, as views of any kind or as Uint8Arrays; or each in
 * its own, where something may queue them, or transfers them.
 */
type Memory = "any" | "bytes" | "own";

/** Gives the chunks of a message, and notes how it is ended from outside. */
export class Feed {
  readonly sizes: readonly number[];
  /** The reasons with which the source was cancelled, or undefined where there is none. */
  readonly ended: unknown[] = [];
  over = false;
  memory: Memory = "own";
  #reads = 0;
  readonly #onRead: (read: number) => void;

  /** @param onRead called with the number of each read, from 1; what it throws, the source fails with */
  constructor(sizes: readonly number[], onRead: (read: number) => void = () => {}) {
    this.sizes = sizes;
    this.#onRead = onRead;
  }

  /** Returns the next chunk; undefined at the end. The memory of the one before is written to, whatever comes. */
  next(): Uint8Array<ArrayBuffer> | undefined {
    neighbour.hasher.update(Uint8Array.of(neighbour.steps++));
    const index = this.#reads++;
    all.fill(GARBAGE, 0, lastSize);
    ofShared.fill(GARBAGE, 0, lastSize);
    try {
      this.#onRead(this.#reads);
    } catch (error) {
      this.over = true;
      throw error;
    }
    const size = this.sizes[index];
    if (size === undefined) {
      this.over = true;
      return undefined;
    }
    const content = contentOf(index, size);
    if (this.memory === "own") return content.slice();
    const kind = this.memory === "bytes" ? index % 2 : (index + this.sizes.length + size) % views.length;
    all.set(content);
    ofShared.set(content);
    lastSize = size;
    return views[kind]!(size) as Uint8Array<ArrayBuffer>;
  }

  readonly cancel = (reason: unknown): void => void this.ended.push(reason);

  /** For an end without a reason, which comes after a source's own end, too. */
  readonly close = (): void => {
    if (!this.over) this.cancel(undefined);
    this.over = true;
  };
}

/** What takes a source: streams can be piped, the streams of bodies too. */
export type Group = "stream" | "body" | "iterable" | "node" | "whole" | "pooled";

export interface Kind {
  readonly group: Group;
  readonly memory: Memory;
  /** What is noted when a read is given up: the reason, an end without it, or nothing, as another reader is there. */
  readonly cancelled: "reason" | "once" | "never";
  /** What is noted when a read fails: that of a source that does not know is followed by a cancel. */
  readonly failed: "once" | "never";
  make(feed: Feed): Source | Promise<Source>;
}

const kind =
  (group: Group, memory: Memory, cancelled: Kind["cancelled"], failed: Kind["failed"] = "never") =>
  (make: Kind["make"]): Kind => ({ group, memory, cancelled, failed, make });

type Controller = ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;

const pulled = (feed: Feed): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const pull = (controller: Controller) => {
    const chunk = feed.next();
    if (chunk) controller.enqueue(chunk);
    else controller.close();
  };
  return new ReadableStream({ pull, cancel: feed.cancel }, { highWaterMark: 0 });
};

/** Writes to a stream; the memory is written to again once a write has been done, in the same microtask. */
async function write(feed: Feed, writable: WritableStream): Promise<void> {
  const writer = writable.getWriter();
  const next = () => {
    try {
      return feed.next();
    } catch (error) {
      writer.abort(error).catch(() => {});
      throw error;
    }
  };
  for (let chunk = next(); chunk; chunk = next()) {
    const done = writer.write(chunk);
    try {
      await done;
    } catch (error) {
      return feed.cancel(error);
    }
  }
  await writer.close();
}

function written(feed: Feed, { readable, writable }: ReadableWritablePair): ReadableStream {
  write(feed, writable).catch(() => {});
  return readable;
}

type Fill = (controller: ReadableByteStreamController, bytes: Uint8Array<ArrayBuffer>) => number;

const enqueue: Fill = (controller, bytes) => {
  controller.enqueue(bytes.slice());
  return bytes.length;
};

const respond =
  (transfer: boolean): Fill =>
  (controller, bytes) => {
    const request = controller.byobRequest;
    const view = request?.view as Uint8Array<ArrayBuffer> | null | undefined;
    if (!request || !view) return enqueue(controller, bytes);
    const some = bytes.subarray(0, view.length);
    view.set(some);
    if (!transfer) request.respond(some.length);
    else {
      const { buffer, byteOffset } = view;
      const moved = structuredClone(buffer, { transfer: [buffer] });
      request.respondWithNewView(new Uint8Array(moved, byteOffset, some.length));
    }
    return some.length;
  };

/** A stream of bytes, in which no chunk is empty; at its end, a read in progress is replied to or not. */
function byteStream(feed: Feed, fill: Fill, replies: boolean, autoAllocateChunkSize?: number): ReadableStream {
  let rest = new Uint8Array();
  const pull = (controller: ReadableByteStreamController) => {
    while (rest.length === 0) {
      const next = feed.next();
      if (next) rest = next;
      else {
        controller.close();
        if (replies) controller.byobRequest?.respond(0);
        return;
      }
    }
    rest = rest.subarray(fill(controller, rest));
  };
  const auto = autoAllocateChunkSize && { autoAllocateChunkSize };
  return new ReadableStream({ type: "bytes", pull, cancel: feed.cancel, ...auto }, { highWaterMark: 0 });
}

/** A branch whose twin is cancelled, or waits. */
function branch(stream: ReadableStream, twin: "cancelled" | "waits"): ReadableStream {
  const [one, other] = stream.tee();
  if (twin === "cancelled") void other.cancel().catch(() => {});
  return one;
}

const post = (body: ReadableStream) =>
  new Request("http://host.test/", { method: "POST", body, duplex: "half" } as RequestInit);

/** An iterator by hand, whose `return` is noted. */
function iteratorOf<T>(feed: Feed, wrap: (next: () => Uint8Array | undefined) => T): { next(): T; return(): object } {
  return {
    next: () => wrap(() => feed.next()),
    return() {
      feed.cancel(undefined);
      return { done: true };
    },
  };
}
const result = (value: unknown) => ({ done: value === undefined, value }) as IteratorResult<Uint8Array>;

/** Run in either realm. */
const GENERATORS = `({
  *now(feed) { try { for (let chunk; (chunk = feed.next()); ) yield chunk; } finally { feed.close(); } },
  async *later(feed) { try { for (let chunk; (chunk = feed.next()); ) { await null; yield chunk; } } finally { feed.close(); } },
})`;
type Generators = { now(feed: Feed): Generator<Uint8Array>; later(feed: Feed): AsyncGenerator<Uint8Array> };
const here = new Function(`return ${GENERATORS}`)() as Generators;

/** What has a stream's reader, and no more. Its source does not know that a read has failed. */
function polyfilled(feed: Feed, more: object = {}): ReadableStream {
  const stream = { locked: false };
  const getReader = (options?: object) => {
    if (options) throw new TypeError("no other reader");
    stream.locked = true;
    return {
      read: async () => result(feed.next()),
      cancel: async (reason: unknown) => feed.cancel(reason),
      releaseLock: () => Object.assign(stream, { locked: false }),
      ...more,
    };
  };
  return Object.assign(stream, { getReader }) as unknown as ReadableStream;
}

/** A Node stream that gives a chunk at each read, and asks for none ahead. */
const readable = (feed: Feed, objectMode: boolean) =>
  new Readable({
    objectMode,
    highWaterMark: 0,
    read() {
      try {
        let chunk = feed.next();
        // In a stream of bytes an empty chunk is none.
        while (!objectMode && chunk?.length === 0) chunk = feed.next();
        this.push(chunk ?? null);
      } catch (error) {
        this.destroy(error as Error);
      }
    },
    destroy(error, done) {
      feed.close();
      done(error);
    },
  });

const stream = kind("stream", "any", "reason");
const bytes = kind("stream", "own", "reason");
const teed = kind("stream", "own", "once");
const body = kind("body", "any", "reason");
const cloned = kind("body", "own", "never");
const iterable = kind("iterable", "any", "once");

/** Sources that give chunks as they are asked for them. */
export const feeds: Record<string, Kind> = {
  "a stream": stream(pulled),
  "behind a HashStream, written to": stream((feed) => written(feed, new HashStream(blake2b))),
  "behind pipeThrough(HashStream)": stream((feed) => pulled(feed).pipeThrough(new HashStream(blake2b))),
  "a branch, its twin cancelled": teed((feed) => branch(pulled(feed), "cancelled")),
  "bytes by enqueue": bytes((feed) => byteStream(feed, enqueue, false)),
  "bytes by respond": bytes((feed) => byteStream(feed, respond(false), false)),
  "bytes by respond, a last respond(0)": bytes((feed) => byteStream(feed, respond(false), true)),
  "bytes by autoAllocateChunkSize": bytes((feed) => byteStream(feed, respond(false), true, 3000)),
  "a branch of bytes, its twin cancelled": teed((feed) => branch(byteStream(feed, enqueue, false), "cancelled")),
  "a Response": body((feed) => new Response(pulled(feed))),
  "a Request": body((feed) => post(pulled(feed))),
  "a Response's clone": cloned((feed) => new Response(pulled(feed)).clone()),
  "an iterator": iterable((feed) => ({
    [Symbol.iterator]: () => iteratorOf(feed, (next) => result(next())) as Iterator<Uint8Array>,
  })),
  "an async iterator": iterable((feed) => ({
    [Symbol.asyncIterator]: () =>
      iteratorOf(feed, async (next) => result(next())) as unknown as AsyncIterator<Uint8Array>,
  })),
  "an iterator of promises": kind(
    "iterable",
    "any",
    "once",
    "once",
  )((feed) => ({
    [Symbol.iterator]: () =>
      iteratorOf(feed, (next) => {
        let value: Promise<Uint8Array> | undefined;
        try {
          const chunk = next();
          value = chunk && Promise.resolve(chunk);
        } catch (error) {
          value = Promise.reject(error);
        }
        return { done: value === undefined, value };
      }) as Iterator<Promise<Uint8Array>>,
  })),
  "a generator": iterable(here.now),
  "an async generator": iterable(here.later),
  "a polyfill's stream": kind("iterable", "any", "reason", "once")((feed) => polyfilled(feed)),
  "a Node stream of objects": kind("node", "any", "once")((feed) => readable(feed, true)),
  "a Node stream of bytes": kind("node", "bytes", "once")((feed) => readable(feed, false)),
  "a body of node-fetch": kind(
    "iterable",
    "any",
    "once",
  )((feed) => {
    const members = { bodyUsed: false, size: 0, status: 200, ok: true, arrayBuffer: () => new Promise(() => {}) };
    return { ...members, body: readable(feed, true) } as unknown as Response;
  }),
  "a Node stream as a web stream": kind(
    "stream",
    "own",
    "once",
  )((feed) => Readable.toWeb(readable(feed, false)) as ReadableStream),
};

const whole = kind("whole", "own", "never");
const pooled = kind("pooled", "own", "never");
const within = (content: Uint8Array, buffer: ArrayBufferLike) => {
  const view = new Uint8Array(buffer, 5, content.length);
  view.set(content);
  return view;
};
const ofSize = (content: Uint8Array) => new ArrayBuffer(content.length + 9);
const dataUrl = (content: Buffer) => `data:application/octet-stream;base64,${content.toString("base64")}`;

/** Sources that are there as a whole; those of the group "pooled" a pool takes, too. */
export const wholes: Record<string, Kind> = Object.fromEntries(
  Object.entries<readonly [(make: Kind["make"]) => Kind, (content: Buffer) => Source | Promise<Source>]>({
    "an array": [pooled, (content) => new Uint8Array(content)],
    "a Buffer": [pooled, (content) => Buffer.from(content)],
    "a part of a buffer": [pooled, (content) => within(content, ofSize(content))],
    "a DataView": [pooled, (content) => new DataView(within(content, ofSize(content)).buffer, 5, content.length)],
    "an ArrayBuffer": [pooled, (content) => new Uint8Array(content).buffer],
    "a resizable ArrayBuffer": [
      pooled,
      (content) => {
        const buffer = new ArrayBuffer(content.length, { maxByteLength: content.length + 99 });
        new Uint8Array(buffer).set(content);
        return buffer;
      },
    ],
    "shared memory": [pooled, (content) => within(content, new SharedArrayBuffer(content.length + 9))],
    "an array of another realm": [pooled, (content) => ForeignArray.from(content)],
    "an ArrayBuffer of another realm": [pooled, (content) => ForeignArray.from(content).buffer],
    "a Blob": [pooled, (content) => new Blob([content as Uint8Array<ArrayBuffer>])],
    "a File": [pooled, (content) => new File([content as Uint8Array<ArrayBuffer>], "name")],
    "a File around a Blob": [
      pooled,
      (content) => new File([new Blob([content as Uint8Array<ArrayBuffer>]), new Blob([])], "name"),
    ],
    "a slice of a Blob": [pooled, (content) => new Blob(["--", content as Uint8Array<ArrayBuffer>, "--"]).slice(2, -2)],
    "a Response of bytes": [whole, (content) => new Response(new Uint8Array(content))],
    "a Response of a Blob": [whole, (content) => new Response(new Blob([new Uint8Array(content)]))],
    "a Response to fetch": [whole, (content) => fetch(dataUrl(content))],
    "a clone of a Response to fetch": [whole, async (content) => (await fetch(dataUrl(content))).clone()],
    "a Blob's stream": [whole, (content) => new Blob([content as Uint8Array<ArrayBuffer>]).stream()],
    "a list": [whole, (content) => [content.subarray(0, 1), content.subarray(1)]],
    "a list of another realm": [whole, (content) => runInNewContext("Array.of(chunk)", { chunk: content })],
    "a list of promises": [whole, (content) => [Promise.resolve(content)]],
  }).map(([name, [kindOf, make]]) => [name, kindOf(({ sizes }) => make(messageOf(sizes)))]),
);

export const kinds: Record<string, Kind> = { ...feeds, ...wholes };

/** Makes a source of a kind that gives what a feed has. */
export function open({ memory, make }: Kind, feed: Feed): Source | Promise<Source> {
  feed.memory = memory;
  return make(feed);
}
