// Hashes and HMACs by name, as node:crypto creates them.
import type { KeyObject } from "node:crypto";
import type { Transform } from "node:stream";
import { types } from "node:util";
import type { Algorithm } from "../engine/algorithm.js";
import type { Hasher } from "../engine/hasher.js";
import { createFor, type Hmac as HmacHasher } from "../hmac/hmac.js";
import { builtin } from "../input/builtin.js";
import type { ByteInput, Input } from "../input/bytes.js";
import { isDetached } from "../input/caller-bytes.js";
import { invalidType, withCode } from "./error-codes.js";
import { Hash, Hmac } from "./hash.js";
import {
  algorithmNamed,
  type HashName,
  type HashOptions,
  type HashOptionsOf,
  type Named,
  requireFixedLength,
  type StreamOptions,
  splitOptions,
  withLength,
} from "./options.js";

function createHasher(user: Named, hash: HashOptions | undefined, outputLength: number | undefined): Hasher {
  const { name, algorithm } = user;
  if (!hash) return algorithm.create();
  requireFixedLength(user, "length", hash.length);
  requireFixedLength(user, "outputLength", outputLength);
  if (outputLength === undefined) return algorithm.create(hash);
  if (hash.length === undefined) return algorithm.create(withLength(hash, outputLength));
  throw new TypeError(`${name}: pass either length or outputLength, not both`);
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
  const user = algorithmNamed("createHash", name);
  if (options === undefined) return new Hash(name, user.algorithm.create(), false);
  const { stream, hash, outputLength } = splitOptions(name, options as HashOptions);
  const keyed = hash?.key !== undefined || hash?.context !== undefined;
  return new Hash(name, createHasher(user, hash, outputLength), keyed, stream);
}

/** A KeyObject of node:crypto or a CryptoKey, as far as it is needed. */
interface KeyLike {
  readonly type: string;
}

const KEYS = "a string, a buffer, a view of one, a secret KeyObject or a CryptoKey";

/** Returns an HMAC's hasher. Text is decoded as node:crypto does. */
function createHmacHasher(
  algorithm: Algorithm,
  key: Input | KeyLike,
  encoding: BufferEncoding | undefined,
): HmacHasher {
  if (isBytes(key) && !isDetached(key)) return createFor("createHmac", algorithm, key);
  const bytes = typeof key === "string" ? Buffer.from(key, encoding || "utf8") : keyBytes(key);
  try {
    return createFor("createHmac", algorithm, bytes);
  } finally {
    bytes.fill(0);
  }
}

const isBytes = (key: unknown): key is ByteInput => ArrayBuffer.isView(key) || types.isAnyArrayBuffer(key);

/** Returns the bytes of a key object, which are to be wiped. */
function keyBytes(key: unknown): Uint8Array {
  // Imported by the entry, node:crypto would double the time of a cold start.
  const object = types.isCryptoKey(key) ? builtin("node:crypto")?.KeyObject.from(key) : key;
  if (types.isKeyObject(object)) return exportKey(object);
  throw invalidType("createHmac", "key", KEYS, key);
}

function exportKey(key: KeyObject): Uint8Array {
  if (key.type === "secret") return key.export();
  const text = `createHmac: key must be a secret one, got a ${key.type} key`;
  throw withCode(new TypeError(text), "ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE");
}

/**
 * Creates an HMAC (RFC 2104) with the interface of node:crypto's: `update`, `digest`, and a stream. The `key` option of
 * BLAKE2 and BLAKE3 is the better authentication code, unless a protocol asks for HMAC.
 *
 * @param name one that `createHash` accepts
 * @param key text, bytes, a secret KeyObject, or, from Node 20.16 on, a CryptoKey
 * @param options a Node stream's. As in node:crypto, `encoding` is also that of a key that is text, `"utf8"` by default
 * @throws TypeError with code ERR_INVALID_ARG_TYPE or ERR_CRYPTO_INVALID_DIGEST for any other name; with code
 *   ERR_INVALID_ARG_TYPE for a key of the wrong type, or ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE for a public or private
 *   key; TypeError for any other option
 * @example
 * createHmac("blake2s256", key).update("hello").digest("hex");
 */
export function createHmac(
  name: HashName,
  key: Input | KeyLike,
  options?: StreamOptions | null,
): Omit<Hash, "copy"> & Transform {
  const { algorithm } = algorithmNamed("createHmac", name);
  const { stream } = splitOptions(name, options, "createHmac");
  return new Hmac(name, createHmacHasher(algorithm, key, stream?.encoding), false, stream);
}
