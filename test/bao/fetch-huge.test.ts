// Remote outboards of content that is longer than the nodes that are held at once: they are fetched as the content
// arrives.
import { fetchVerified, outboard, type RemoteOutboard } from "blake-simd/bao";
import { chainingValue } from "blake-simd/hazmat";
import { describe, expect, it, vi } from "vitest";
import { concat, content, flipped, serve } from "../support/bao.ts";
import { expectBytes } from "../support/messages.ts";
import { PLAIN, parentValue } from "../support/specification.ts";

const GROUP = 1024;
const MiB = 2 ** 20;
/** As many groups as there are nodes fetched of at once. */
const AHEAD = 8192;
const WINDOW = AHEAD * GROUP;
const NODE = 64;

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
    const { fetch, asked } = serve({ nodes, content: message });
    const remote = { url: "nodes", group: GROUP, format, length };
    const stream = await fetchVerified("content", { root, outboard: remote, start, end, fetch });
    const groups = Math.ceil((end ?? message.length) / GROUP) - Math.floor(start / GROUP);
    const sizeOfNodes = () =>
      asked.reduce((sum, { path, start, end }) => sum + (path === "nodes" ? end - start : 0), 0);
    // The first MiB comes with the header, and less than 64 KiB between runs that are near each other.
    expect(sizeOfNodes()).toBeLessThan((AHEAD + 100) * NODE + (format === "bao" ? MiB : 2 ** 16));
    expect(asked.at(-1)!.path).toBe("content");
    const requests = asked.length;
    expectBytes(new Uint8Array(await new Response(stream).arrayBuffer()), message.subarray(start, end));
    // The first MiB has the nodes of the second window, too.
    if (format !== "bao") expect(asked.length > requests, "nodes after the first content").toBe(groups > AHEAD);
    // No node is fetched twice.
    expect(sizeOfNodes()).toBeLessThanOrEqual(nodes.length);
    if (start === 0 && end === undefined) expect(sizeOfNodes()).toBe(nodes.length);
  });

  it("that is wrong further on fails there, after all that is right", async () => {
    // The node over the two last groups of the second half: after what is fetched first in each format.
    const last = tree.toBytes("iroh").subarray(-NODE);
    const wrong = flipped(nodes, Buffer.from(nodes).lastIndexOf(last));
    const { fetch } = serve({ nodes: wrong, content: message });
    const outboardThere = { url: "nodes", group: GROUP, format, length };
    const { given, error } = await read(await fetchVerified("content", { root, outboard: outboardThere, fetch }));
    expect(error).toMatchObject({ name: "IntegrityError", reason: "node" });
    expect(given.length).toBeGreaterThan(2 * WINDOW);
    expectBytes(given, message.subarray(0, given.length));
  });
});

/** What comes of a stream, and how it ends. */
async function read(stream: ReadableStream<Uint8Array>): Promise<{ given: Uint8Array; error: unknown }> {
  const parts: Uint8Array[] = [];
  try {
    for await (const part of stream) parts.push(part);
    return { given: concat(parts), error: undefined };
  } catch (error) {
    return { given: concat(parts), error };
  }
}

/** A server whose responses take a while: requests during one round trip are answered together. */
function slow() {
  const rounds: string[][] = [];
  let waiting: Promise<void> | undefined;
  const nodes = { small: outboard(message).toBytes("bao"), large: tree.toBytes("bao"), iroh: tree.toBytes("iroh") };
  const server = serve({ ...nodes, content: message }, (_, { path, start, end }) => {
    if (!waiting) rounds.push([]);
    rounds.at(-1)!.push(`${path} ${end - start}`);
    waiting ??= new Promise((resolve) => setTimeout(resolve, 5)).then(() => (waiting = undefined));
    return waiting;
  });
  return { ...server, rounds };
}

describe("the round trips of a range of 1000 bytes", () => {
  const range = { start: message.length - 3_000_000, end: message.length - 2_999_000 };
  const length = message.length;
  it.each<[what: string, outboard: RemoteOutboard, rounds: number[], bytes: number]>([
    ["are two with an outboard of less than 1 MiB", { url: "small" }, [1, 1], MiB],
    ["are two with one of which the length is known", { url: "small", length }, [1, 1], 100_000],
    ["are three with one of more", { url: "large", group: GROUP }, [1, 2, 1], MiB + 70_000],
    ["are two if its length is known", { url: "large", group: GROUP, length }, [3, 1], 70_000],
    ["are two in other formats", { url: "iroh", group: GROUP, length, format: "iroh" }, [3, 1], 70_000],
  ])("%s", async (_, remote, wanted, most) => {
    const { fetch, rounds, asked } = slow();
    const body = await fetchVerified("content", { root, outboard: remote, ...range, fetch });
    expectBytes(new Uint8Array(await new Response(body).arrayBuffer()), message.subarray(range.start, range.end));
    expect(rounds.map((requests) => requests.length)).toEqual(wanted);
    const size = asked.reduce((sum, { path, start, end }) => sum + (path === "content" ? 0 : end - start), 0);
    expect(size).toBeLessThan(most);
  });
});

describe("an outboard of more than 1 MiB", () => {
  const bytesOf = async (fetch: typeof globalThis.fetch) => {
    const options = { root, outboard: { url: "nodes", group: GROUP }, start: message.length - 5, fetch };
    return new Uint8Array(await new Response(await fetchVerified("content", options as never)).arrayBuffer());
  };
  const spoiled = (change: Parameters<typeof serve>[1]) =>
    serve({ nodes: tree.toBytes(), content: message }, change).fetch as typeof globalThis.fetch;

  it("that changes between its parts is refused, unless only a later one has an ETag", async () => {
    let count = 0;
    const changing = spoiled(
      ({ headers }, { path }) => path === "content" || Object.assign(headers, { ETag: `"${count++}"` }),
    );
    await expect(bytesOf(changing)).rejects.toMatchObject({
      name: "ResponseError",
      reason: "etag",
      message: 'fetchVerified: the response of the server must have ETag "0", got "1"',
    });
    const later = spoiled(({ headers }, { start }) => start > 0 && Object.assign(headers, { ETag: "x" }));
    expectBytes(await bytesOf(later), message.subarray(-5));
  });

  it("of which one part fails ends the requests for the others", async () => {
    const signals: (AbortSignal | null | undefined)[] = [];
    const fetch = spoiled((answer, { path, start, signal }) => {
      if (path === "content") expect.fail("content");
      signals.push(signal);
      if (start === 0) return;
      if (signals.length > 2) return new Promise<never>(() => {});
      answer.status = 404;
    });
    const options = { root, outboard: { url: "nodes", group: GROUP, length: message.length }, fetch };
    const range = { start: message.length - 3_000_000, end: message.length - 2_999_000 };
    const getting = fetchVerified("content", { ...options, ...range } as never);
    await expect(getting).rejects.toMatchObject({ reason: "status" });
    expect(signals.length).toBeGreaterThan(1);
    expect(signals.every((signal) => signal?.aborted)).toBe(true);
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

  const files = { nodes: zeros(start), content: zeros(known) };

  it("comes as far as it is right", async () => {
    const { fetch, asked } = serve(files);
    const { given, error } = await read(await fetchVerified("content", { ...options, fetch }));
    expect(error).toMatchObject({ name: "IntegrityError", reason: "node", offset: 2 * WINDOW });
    expectBytes(given, known);
    expect(asked.length).toBeLessThan(8);
  });
});

it("a stream that is cancelled ends the request for the nodes that it waits for", async () => {
  let hasContent = false;
  const { fetch, asked } = serve({ nodes: tree.toBytes(), content: message }, (_, { path }) => {
    hasContent ||= path === "content";
    return hasContent && path === "nodes" ? new Promise<never>(() => {}) : undefined;
  });
  const stream = await fetchVerified("content", { root, outboard: { url: "nodes", group: GROUP }, fetch });
  const reader = stream.getReader();
  const reading = (async () => {
    while (!(await reader.read()).done);
  })();
  await vi.waitFor(() => expect(hasContent && asked.at(-1)!.path).toBe("nodes"));
  await reader.cancel();
  await reading;
  expect(asked.at(-1)!.signal?.aborted).toBe(true);
});
