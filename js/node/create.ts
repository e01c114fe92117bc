// Hashes and HMACs by name, as node:crypto creates them.
import type { Transform } from "node:stream";
import type { Hasher } from "../engine/hasher.js";
import { createFor } from "../hmac/hmac.js";
import type { Input } from "../input/bytes.js";
import { requireArguments } from "../input/errors.js";
import { Hash } from "./hash.js";
import { type Named, named } from "./names.js";
import {
  type HashName,
  type HashOptions,
  type HashOptionsOf,
  requireFixedLength,
  requireNoMore,
  type StreamOptions,
  splitOptions,
  withLength,
} from "./options.js";

function createHasher(user: Named, hash: HashOptions, outputLength: number | undefined): Hasher {
  const { name, algorithm } = user;
  requireFixedLength(user, "length", hash.length);
  requireFixedLength(user, "outputLength", outputLength);
  if (outputLength === undefined) return algorithm.create(hash);
  if (hash.length === undefined) return algorithm.create(withLength(hash, outputLength));
  throw new TypeError(`${name}: length and outputLength exclude each other, got both`);
}

/**
 * Creates a hash with the interface of node:crypto's: `update`, `digest`, `copy`, and a stream.
 *
 * @param name one of this package's, or OpenSSL's `blake2b512` and `blake2s256`, in upper or lower case
 * @param options the algorithm's own (such as `key` and `length`), a Node stream's, and `outputLength`
 * @throws TypeError with code ERR_INVALID_ARG_TYPE or ERR_CRYPTO_INVALID_DIGEST for any other name; for options, what
 *   the algorithm's `create` throws
 * @example
 * createHash("blake2b512").update("hello").digest("hex");
 * await pipeline(createReadStream(path), createHash("blake3").setEncoding("hex"), process.stdout);
 */
export function createHash<Name extends HashName>(name: Name, options?: HashOptionsOf<Name> | null): Hash {
  requireArguments("createHash", arguments.length, 2);
  const user = named("createHash", name);
  const { stream, hash, outputLength } = splitOptions(name, options as HashOptions | null | undefined);
  return new Hash(name, createHasher(user, hash, outputLength), stream);
}

/** Node's own secret KeyObject, as far as it is needed. */
interface SecretKey {
  readonly type: string;
  export(): Uint8Array;
}

const isSecretKey = (key: unknown): key is SecretKey =>
  typeof key === "object" && key !== null && "type" in key && key.type === "secret" && "export" in key;

/**
 * Creates an HMAC (RFC 2104) with the interface of node:crypto's: `update`, `digest`, and a stream. The `key` option of BLAKE2 and
 * BLAKE3 is the better authentication code, unless a protocol asks for HMAC.
 *
 * @param name as `createHash` takes it
 * @param key text (as UTF-8), bytes, or a secret KeyObject
 * @param options a Node stream's
 * @throws TypeError with code ERR_INVALID_ARG_TYPE or ERR_CRYPTO_INVALID_DIGEST for any other name; TypeError for a
 *   key of the wrong type, or any other option
 * @example
 * createHmac("blake2s256", key).update("hello").digest("hex");
 */
export function createHmac(
  name: HashName,
  key: Input | { readonly type: string },
  options?: StreamOptions | null,
): Omit<Hash, "copy"> & Transform {
  requireArguments("createHmac", arguments.length, 3);
  const { algorithm } = named("createHmac", name);
  const { stream, hash } = splitOptions(name, options);
  requireNoMore(name, "createHmac", hash);
  return new Hash(name, createFor("createHmac", algorithm, isSecretKey(key) ? key.export() : (key as Input)), stream);
}
