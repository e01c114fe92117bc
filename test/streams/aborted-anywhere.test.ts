// A signal that aborts in any microtask of a call: the call rejects with the signal's reason, never with the digest of a
// part, and nothing stays open.
import fs, { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blake3 } from "blake-simd";
import { fetchVerified, outboard, outboardOf } from "blake-simd/bao";
import { hashFile } from "blake-simd/node";
import { Blake3Pool } from "blake-simd/parallel";
import { digestOf } from "blake-simd/streams";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { pattern } from "../support/messages.ts";

const folder = mkdtempSync(join(tmpdir(), "blake-simd-"));
const large = pattern(3 * 2 ** 20);
const path = join(folder, "large");
writeFileSync(path, large);
const pool = new Blake3Pool({ threads: 0 });
const reason = new Error("enough");

const MICROTASKS = [0, 1, 4];

afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await pool.close();
  rmSync(folder, { recursive: true });
});

it("a signal that was aborted before has no listener afterwards", async () => {
  const signal = AbortSignal.abort(reason);
  const calls = vi.spyOn(signal, "addEventListener");
  const ends = vi.spyOn(signal, "removeEventListener");
  for (const call of [digestOf(blake3, large, { signal }), hashFile(blake3, path, { signal })]) {
    await expect(call).rejects.toBe(reason);
  }
  expect(ends).toHaveBeenCalledTimes(calls.mock.calls.length);
});

/** Aborts some microtasks after a promise has settled. */
async function abortAfter(promise: Promise<unknown>, microtasks: number, controller: AbortController): Promise<void> {
  await promise;
  for (let i = 0; i < microtasks; i++) await undefined;
  controller.abort(reason);
}

/** Has every open file's `stat` followed by an abort. Returns the handles that are opened. */
function abortAfterFiles(microtasks: number, controller: AbortController): fs.promises.FileHandle[] {
  const handles: fs.promises.FileHandle[] = [];
  const { open } = fs.promises;
  vi.spyOn(fs.promises, "open").mockImplementation(async (...given) => {
    const handle = await open(...given);
    handles.push(handle);
    const opened = handle.stat.bind(handle);
    handle.stat = ((...options: []) => {
      const status = opened(...options);
      void abortAfter(status, microtasks, controller);
      return status;
    }) as typeof handle.stat;
    return handle;
  });
  return handles;
}

describe.each(MICROTASKS)("an abort %i microtasks after a step", (microtasks) => {
  it("closes a file", async () => {
    const controller = new AbortController();
    const short = join(folder, "short");
    writeFileSync(short, pattern(3000));
    for (const file of [short, path]) {
      const handles = abortAfterFiles(microtasks, controller);
      await outboardOf({ path: file }, { pool, signal: controller.signal }).catch(() => {});
      await expect.poll(() => handles.every(({ fd }) => fd === -1)).toBe(true);
      vi.restoreAllMocks();
    }
  });

  it("cancels the body of what fetchVerified has asked for", async () => {
    const controller = new AbortController();
    const tree = outboard(large);
    let cancelled: unknown;
    const cancel = (why: unknown) => {
      cancelled = why;
    };
    const source = new ReadableStream({ cancel });
    const headers = { "Content-Range": `bytes 0-${large.length - 1}/*` };
    const fetch = () => {
      const response = Promise.resolve(new Response(source, { status: 206, headers }));
      void abortAfter(response, microtasks, controller);
      return response;
    };
    const { signal } = controller;
    const asked = fetchVerified("https://a.example", { root: tree.root, outboard: tree, signal, fetch });
    await expect(asked.then((body) => body.getReader().read())).rejects.toBe(reason);
    await expect.poll(() => cancelled).toBe(reason);
  });
});

describe("a signal that many calls have", () => {
  const open: [string, (signal: AbortSignal) => Promise<unknown>][] = [
    ["digestOf", (signal) => digestOf(blake3, new ReadableStream(), { signal })],
    ["hashFile", (signal) => hashFile(blake3, path, { signal })],
    ["outboardOf", (signal) => outboardOf(new Blob([large]), { signal })],
    ["Blake3Pool.hash", (signal) => pool.hash({ path }, { signal })],
  ];
  const kinds: [string, () => { signal: AbortSignal; abort(): void }][] = [
    ["of the engine", () => wrap(new AbortController())],
    ["of another kind", () => wrap(foreignController())],
  ];

  function wrap(controller: { signal: AbortSignal; abort(reason: unknown): void }) {
    return { signal: controller.signal, abort: () => controller.abort(reason) };
  }

  /** A signal that is no EventTarget of this realm. */
  function foreignController() {
    const listeners = new Set<() => void>();
    const signal = {
      aborted: false,
      reason: undefined as unknown,
      addEventListener: (_: string, listener: () => void) => listeners.add(listener),
      removeEventListener: (_: string, listener: () => void) => listeners.delete(listener),
      throwIfAborted() {
        if (signal.aborted) throw signal.reason;
      },
    };
    return {
      signal: signal as unknown as AbortSignal,
      abort(why: unknown) {
        Object.assign(signal, { aborted: true, reason: why });
        for (const listener of listeners) listener();
      },
    };
  }

  describe.each(kinds)("%s", (_, make) => {
    it.each(open)("ends all of them, and what comes after it: %s", async (_, call) => {
      const { signal, abort } = make();
      const calls = Array.from({ length: 12 }, () => call(signal));
      const outcomes = Promise.allSettled(calls);
      abort();
      const reasons = (await outcomes).map((outcome) => (outcome as PromiseRejectedResult).reason);
      expect(reasons).toEqual(new Array(12).fill(reason));
      await expect(call(signal)).rejects.toBe(reason);
    });
  });
});
