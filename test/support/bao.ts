// What the tests of verified streaming share.
import { readFileSync } from "node:fs";

type Bytes = Uint8Array<ArrayBuffer>;

/** The official vectors of bao (test/vectors/README.md). Encodings are there by their length and BLAKE3 digest. */
interface BaoVectors {
  hash: { input_len: number; bao_hash: string }[];
  encode: Encoded[];
  outboard: (Omit<Encoded, "corruptions"> & { outboard_corruptions: number[]; input_corruptions: number[] })[];
  seek: { input_len: number; seek_offsets: number[] }[];
  slice: { input_len: number; bao_hash: string; slices: Slice[] }[];
}

interface Encoded {
  input_len: number;
  output_len: number;
  bao_hash: string;
  encoded_blake3: string;
  corruptions: number[];
}

interface Slice {
  start: number;
  len: number;
  output_len: number;
  output_blake3: string;
  corruptions: number[];
}

export const baoVectors = JSON.parse(
  readFileSync(new URL("../vectors/bao.json", import.meta.url), "utf8"),
) as BaoVectors;

/** The vectors' content: 32-bit counters from 1 on, little-endian, cut to length. */
export function content(length: number): Bytes {
  const words = Uint32Array.from({ length: Math.ceil(length / 4) }, (_, i) => i + 1);
  return new Uint8Array(words.buffer, 0, length).slice();
}

export function concat(parts: readonly Uint8Array[]): Bytes {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Writes bytes to a stream, `size` at a time; resolves with all that came out of it, and the error that ended it. */
export async function through(
  stream: { writable: WritableStream; readable: ReadableStream<Bytes> },
  bytes: Uint8Array,
  size = Number.POSITIVE_INFINITY,
): Promise<{ bytes: Bytes; error: unknown }> {
  const writer = stream.writable.getWriter();
  const write = async (): Promise<void> => {
    for (let at = 0; at < bytes.length; at += size) await writer.write(bytes.subarray(at, at + size));
    await writer.close();
  };
  const written = write().catch(() => {});
  const parts: Bytes[] = [];
  let error: unknown;
  try {
    for await (const part of stream.readable) parts.push(part);
  } catch (reason) {
    error = reason;
  }
  await written;
  return { bytes: concat(parts), error };
}

/** The same, if nothing may go wrong. */
export async function passed(...args: Parameters<typeof through>): Promise<Bytes> {
  const { bytes, error } = await through(...args);
  if (error) throw error;
  return bytes;
}

/** A copy with one bit the other way. */
export function flipped(bytes: Uint8Array, at: number, bit = 0): Bytes {
  const copy = new Uint8Array(bytes);
  copy[at] = (copy[at] as number) ^ (1 << bit);
  return copy;
}

/** A file's bytes, or what gives them from one offset to another. */
type File = Uint8Array | ((start: number, end: number) => Uint8Array);

interface Asked {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly signal: AbortSignal | null | undefined;
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: BodyInit | null;
}

/**
 * A server of files, as a `fetch` that ignores signals. It keeps what it was asked for, and why bodies were cancelled.
 */
export function serve(files: Record<string, File>, change: (answer: Answer, asked: Asked) => unknown = () => {}) {
  const asked: Asked[] = [];
  const cancelled: unknown[] = [];
  const fetch = async (url: string | URL, { headers, signal }: RequestInit): Promise<Response> => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec((headers as Record<string, string>).Range!)!;
    const [path, start, end] = [String(url), Number(first), Number(last) + 1];
    const file = files[path]!;
    const read = typeof file === "function" ? file : (from: number, to: number) => file.slice(from, to);
    let at = start;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull(controller) {
          const part = read(at, Math.min(end, at + 50_000)) as Bytes;
          at += part.length;
          if (part.length > 0) controller.enqueue(part);
          if (part.length === 0 || at === end) controller.close();
        },
        cancel: (reason) => void cancelled.push(reason),
      },
      { highWaterMark: 0 },
    );
    const total = typeof file === "function" ? "*" : file.length;
    const range = `bytes ${start}-${(total === "*" ? end : Math.min(end, total)) - 1}/${total}`;
    const answer: Answer = { status: 206, headers: { "Content-Range": range }, body };
    asked.push({ path, start, end, signal });
    await change(answer, asked.at(-1)!);
    return new Response(answer.body, answer);
  };
  return { fetch, asked, cancelled };
}
