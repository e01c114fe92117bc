// Whether a file is the expected one.
import type { FileHandle } from "node:fs/promises";
import type { Algorithm } from "../engine/algorithm.js";
import { isUint8Array } from "../input/caller-bytes.js";
import { requireArguments, tag } from "../input/errors.js";
import { without } from "../input/options.js";
import { type DigestOfOptions, digestChunks, holdsOptions } from "../streams/digest-of.js";
import type { Expected } from "../streams/expected.js";
import { digestAndChecker } from "../streams/verify-stream.js";
import { openChunks } from "./hash-file.js";

const CALL = "verifyFile";

/**
 * Verifies that a file has the expected digest. The file is read as `hashFile` reads it, and the comparison takes
 * constant time.
 *
 * @param file a path, a `file:` URL or a file handle
 * @param expected the digest, in any form of {@link Expected}
 * @returns a promise that is fulfilled if the file is the expected one. It rejects with an {@link IntegrityError},
 *   which names the file, for a different digest; with a TypeError or RangeError for an expected digest of the wrong
 *   type or length; and with what `hashFile` rejects with
 * @example
 * await verifyFile(blake3, "disk.img", "ea8f163d…");
 */
export async function verifyFile<Options extends object>(
  algorithm: Algorithm<Options>,
  file: string | Buffer | URL | FileHandle,
  expected: Expected,
  options?: Options & DigestOfOptions,
): Promise<void> {
  requireArguments(CALL, arguments.length, 4);
  const own = holdsOptions(options) ? without(options, ["signal", "onProgress"]) : options;
  // Before the file is read, which may take long.
  const [digest, requireExpected] = digestAndChecker(CALL, algorithm, expected, own, nameOf(file));
  digest.dispose();
  requireExpected(await digestChunks(CALL, 3, algorithm, (name) => openChunks(name, file), options));
}

/** What an error calls the file. */
function nameOf(file: unknown): string {
  if (typeof file === "string") return file;
  if (tag(file) === "URL") return (file as URL).pathname;
  return isUint8Array(file) ? Buffer.from(file).toString() : "the file";
}
