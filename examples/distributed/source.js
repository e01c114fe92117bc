// An object of one version: a file on storage that all workers share, or a URL that serves ranges.
import { open, stat } from "node:fs/promises";
import { UnrecoverableError } from "bullmq";

/** Bytes read at a time, into one buffer: fresh memory for each read would cost as much time as reading. */
const CHUNK = 2 ** 18;

const isUrl = (source) => /^https?:/.test(source);
const versionOf = ({ size, mtimeNs, ino }) => `${size}-${mtimeNs}-${ino}`;

/** Returns the length of an object in bytes, and what identifies its version. */
export async function describe(source) {
  if (!isUrl(source)) {
    const status = await stat(source, { bigint: true });
    return { length: Number(status.size), version: versionOf(status) };
  }
  const { ok, status, headers } = await fetch(source, { method: "HEAD" });
  const [length, version] = [headers.get("Content-Length"), headers.get("ETag")];
  if (!ok) throw new Error(`${source}: the server responds with status ${status}`);
  if (length === null) throw new Error(`${source}: the server must send Content-Length`);
  // A weak ETag, W/"...", can be that of two objects whose bytes differ.
  if (!version?.startsWith('"')) throw new Error(`${source}: the server must send a strong ETag, got ${version}`);
  return { length: Number(length), version };
}

/** Another attempt cannot succeed, so there is none. */
const replaced = (source, version, found) =>
  new UnrecoverableError(`${source}: the object has been replaced: expected version ${version}, found ${found}`);

/**
 * Yields the bytes of a part, each piece valid until the next is asked for; throws unless all come, of the given
 * version.
 */
export async function* read(source, version, part) {
  let count = 0;
  for await (const bytes of (isUrl(source) ? readUrl : readFile)(source, version, part)) {
    count += bytes.length;
    yield bytes;
  }
  if (count !== part.length) throw new Error(`${source}: ${count} of ${part.length} bytes at ${part.offset}`);
}

async function* readFile(source, version, { offset, length }) {
  const file = await open(source);
  try {
    yield* piecesOf(file, offset, length);
    // Checked after reading: of the open file, which may have been written to, and of the name, which may have moved.
    const found = [await file.stat({ bigint: true }), await stat(source, { bigint: true })].map(versionOf);
    for (const each of found) if (each !== version) throw replaced(source, version, each);
  } finally {
    await file.close();
  }
}

async function* piecesOf(file, offset, length) {
  const chunk = new Uint8Array(Math.min(length, CHUNK));
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, length - done), offset + done);
    if (bytesRead === 0) return;
    yield chunk.subarray(0, bytesRead);
    done += bytesRead;
  }
}

async function* readUrl(source, version, { offset, length }) {
  const range = `bytes=${offset}-${offset + length - 1}`;
  const response = await fetch(source, { headers: { Range: range, "If-Match": version } });
  const found = response.headers.get("ETag");
  try {
    if (response.status === 412 || found !== version) throw replaced(source, version, found);
    // A server without ranges sends the whole object, with status 200.
    if (response.status !== 206) throw new Error(`${source}: expected status 206, got ${response.status}`);
    const contentRange = response.headers.get("Content-Range") ?? "";
    if (!contentRange.startsWith(`bytes ${range.slice("bytes=".length)}/`)) {
      throw new Error(`${source}: expected the range ${range}, got ${contentRange}`);
    }
    yield* response.body;
  } finally {
    if (!response.bodyUsed) await response.body?.cancel();
  }
}
