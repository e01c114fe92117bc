// Remote outboards of content that is longer than the nodes that are held at once: they are fetched as the content arrives.
import { fetchVerified, Outboard, outboard } from "blake-simd/bao";
import { chainingValue } from "blake-simd/hazmat";
import { describe, expect, it, vi } from "vitest";
import { concat, content } from "../support/bao.ts";
import { expectBytes } from "../support/messages.ts";
import { PLAIN, parentValue } from "../support/specification.ts";

const GROUP = 1024;
const MiB = 2 ** 20;
/** As many groups as there are nodes fetched of at once. */
const AHEAD = 8192;
const WINDOW = AHEAD * GROUP;
const NODE = 64;

type Read = (start: number, end: number) => Uint8Array<ArrayBuffer>;

/** A server of an outboard and content, which keeps what it was asked for, in order. */
function serve(nodes: Read, bytes: Read) {
  const asked: { path: string; length: number }[] = [];
  const fetch = async (url: string | URL, { headers }: RequestInit) => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec((headers as Record<string, string>).Range!)!;
    const [start, end] = [Number(first), Number(last) + 1];
    const path = String(url);
    asked.push({ path, length: end - start });
    let at = start;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const part = (path === "nodes" ? nodes : bytes)(at, Math.min(end, at + 100_000));
          at += part.length;
          controller.enqueue(part);
          if (at === end) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { status: 206, headers: { "Content-Range": `bytes ${start}-${end - 1}/*` } });
  };
  return { fetch, asked };
}

const message = content(2 * WINDOW + 5 * MiB + 77);
const tree = outboard(message, { group: GROUP });
const { root } = tree;

describe.each(["bao", "iroh", "post-order"] as const)("a remote outboard in %s", (format) => {
  const nodes = tree.toBytes(format);
  const length = format === "bao" ? undefined : message.length;

  it.each([
    [0, undefined],
    [0, WINDOW],
    [0, WINDOW + 1],
    [WINDOW - 1, 2 * WINDOW + 1],
    [WINDOW, 2 * WINDOW],
    [WINDOW - 5000, WINDOW + 5000],
    [5 * MiB, message.length],
    [message.length - 1, undefined],
  ])("from %d to %d is fetched as the content arrives", async (start, end) => {
    const { fetch, asked } = serve(
      (from, to) => nodes.slice(from, to),
      (from, to) => message.slice(from, to),
    );
    const remote = { url: "nodes", group: GROUP, format, length };
    const stream = await fetchVerified("content", { root, outboard: remote, start, end, fetch });
    const groups = Math.ceil((end ?? message.length) / GROUP) - Math.floor(start / GROUP);
    const before = asked.reduce((sum, { path, length: size }) => sum + (path === "nodes" ? size : 0), 0);
    expect(before).toBeLessThan((AHEAD + 100) * NODE);
    expect(asked.at(-1)!.path).toBe("content");
    const requests = asked.length;
    expectBytes(new Uint8Array(await new Response(stream).arrayBuffer()), message.subarray(start, end));
    expect(asked.length > requests, "nodes after the first content").toBe(groups > AHEAD);
    // No node is fetched twice.
    const all = asked.reduce((sum, { path, length: size }) => sum + (path === "nodes" ? size : 0), 0);
    expect(all).toBeLessThanOrEqual(nodes.length);
    if (start === 0 && end === undefined) expect(all).toBe(nodes.length);
  });

  it("that is wrong further on fails there, after all that is right", async () => {
    const wrong = nodes.slice();
    const part = Outboard.from(nodes, { root, length: message.length, group: GROUP, format }).toBytes("iroh");
    // The node over the two last groups of the second half: after what is fetched first in each format.
    const last = part.subarray(-NODE);
    const at = Buffer.from(wrong).lastIndexOf(last);
    wrong[at] = wrong[at]! ^ 1;
    const { fetch } = serve(
      (from, to) => wrong.slice(from, to),
      (from, to) => message.slice(from, to),
    );
    const outboardThere = { url: "nodes", group: GROUP, format, length };
    const stream = await fetchVerified("content", { root, outboard: outboardThere, fetch });
    const given: Uint8Array[] = [];
    const read = async () => {
      for await (const bytes of stream) given.push(bytes);
    };
    await expect(read()).rejects.toMatchObject({ name: "IntegrityError", reason: "node" });
    const right = concat(given);
    expect(right.length).toBeGreaterThan(2 * WINDOW);
    expectBytes(right, message.subarray(0, right.length));
  });
});

describe("an object of 2^50 bytes", () => {
  const LENGTH = 2 ** 50;
  const known = content(2 * WINDOW);
  // What follows `known` has some values: its nodes, from the root down, are the first ones in pre-order.
  const path: Uint8Array[] = [];
  let value: Uint8Array = chainingValue(known);
  for (let size = 2 * WINDOW; size < LENGTH; size *= 2) {
    const right = new Uint8Array(32).fill(path.length + 1);
    path.unshift(concat([value, right]));
    value = parentValue(size * 2 < LENGTH ? PLAIN : { ...PLAIN, flags: 8 }, value, right);
  }
  const header = new Uint8Array(new BigUint64Array([BigInt(LENGTH)]).buffer);
  const start = concat([header, ...path, outboard(known, { group: GROUP }).toBytes("iroh")]);
  const zeros = (bytes: Uint8Array) => (from: number, to: number) => {
    const part = new Uint8Array(to - from);
    part.set(bytes.subarray(from, to));
    return part;
  };
  const options = { root: value, outboard: { url: "nodes", group: GROUP } };

  it("comes as far as it is right", async () => {
    const { fetch, asked } = serve(zeros(start), zeros(known));
    const stream = await fetchVerified("content", { ...options, fetch });
    const given: Uint8Array[] = [];
    const read = async () => {
      for await (const bytes of stream) given.push(bytes);
    };
    await expect(read()).rejects.toMatchObject({ name: "IntegrityError", reason: "node", offset: 2 * WINDOW });
    expectBytes(concat(given), known);
    expect(asked.length).toBeLessThan(8);
  });

  it("ends when its signal says so", async () => {
    const controller = new AbortController();
    const { fetch } = serve(zeros(start), zeros(known));
    const stream = await fetchVerified("content", { ...options, fetch, signal: controller.signal });
    const reader = stream.getReader();
    let length = 0;
    const read = async () => {
      for (;;) {
        length += (await reader.read()).value!.length;
        if (length > MiB) controller.abort(new Error("enough"));
      }
    };
    // This server ignores the signal.
    await expect(read()).rejects.toThrow("enough");
    expect(length).toBeLessThan(2 * MiB);
  });
});

it("a stream that is cancelled ends the request for the nodes that it waits for", async () => {
  const nodes = tree.toBytes("bao");
  const server = serve(
    (from, to) => nodes.slice(from, to),
    (from, to) => message.slice(from, to),
  );
  const stalled: (AbortSignal | null | undefined)[] = [];
  let hasContent = false;
  const fetch = async (url: string | URL, init: RequestInit) => {
    hasContent ||= url === "content";
    if (url === "content" || !hasContent) return server.fetch(url, init);
    stalled.push(init.signal);
    return new Promise<never>(() => {});
  };
  const stream = await fetchVerified("content", { root, outboard: { url: "nodes", group: GROUP }, fetch });
  const reader = stream.getReader();
  const reading = (async () => {
    while (!(await reader.read()).done);
  })();
  await vi.waitFor(() => expect(stalled.length).toBe(1));
  await reader.cancel();
  await reading;
  expect(stalled[0]?.aborted).toBe(true);
});
