import { statSync } from "node:fs";
import type { Blake3Pool } from "../parallel.js";
import type { Algorithm, Hasher, Options } from "./algorithms.js";
import { toBytes } from "./byte-strings.js";
import { chunksOf, isStandardInput } from "./files.js";

/** How a file is to be hashed: by the algorithm's hasher, or with the same options on several threads. */
export interface DigestJob {
  algorithm: Algorithm;
  options: Options;
  hasher: Hasher;
  threads: number | undefined;
}

/** From so many bytes on several threads gain more than their start takes: on two cores 256 MiB take 0.22 s, not 0.26. */
const LARGE = 128 * 1024 * 1024;

let pool: Blake3Pool | undefined;

export async function digestFile(name: string, job: DigestJob): Promise<Uint8Array> {
  const several = job.algorithm.algorithm === "blake3" && job.threads !== 1 && isLarge(name) && (await poolOf(job));
  if (several && several.threads > 0) return several.hash({ path: toBytes(name) }, job.options);
  for (const bytes of chunksOf(name)) job.hasher.update(bytes);
  return job.hasher.digest();
}

function isLarge(name: string): boolean {
  if (isStandardInput(name)) return false;
  const status = statSync(toBytes(name));
  return status.isFile() && status.size >= LARGE;
}

// Imported where it is needed: most calls of the command hash a small file and are over.
async function poolOf({ threads }: DigestJob): Promise<Blake3Pool> {
  const { Blake3Pool } = await import("../parallel.js");
  pool ??= new Blake3Pool({ threads, callingThread: true });
  return pool;
}
