// Hashes and HMACs by name, as node:crypto creates them.
import type { KeyObject } from "node:crypto";
import type { Transform } from "node:stream";
import { types } from "node:util";
import type { Hasher } from "../engine/hasher.js";
import { createFor } from "../hmac/hmac.js";
import { copyOfInput, type Input } from "../input/bytes.js";
import { requireArguments } from "../input/errors.js";
import { isDetached } from "../input/views.js";
import { builtin } from "../parallel/builtin.js";
import { invalidType, withCode } from "./error-codes.js";
import { Hash, Hmac, makeStream } from "./hash.js";
import {
  type HashName,
  type HashOptions,
  type HashOptionsOf,
  type Named,
  named,
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
  requireArguments("createHash", arguments.length, 2);
  const user = named("createHash", name);
  const { stream, hash, outputLength } = splitOptions(name, options as HashOptions | null | undefined);
  return makeStream(Hash, name, createHasher(user, hash, outputLength), stream);
}

/** A KeyObject of node:crypto or a CryptoKey, as far as it is needed. */
interface KeyLike {
  readonly type: string;
}

const KEYS = "a string, a buffer, a view of one, a secret KeyObject or a CryptoKey";

/** Returns a copy of the key's bytes, which is to be wiped. Text is decoded as node:crypto does. */
function keyBytes(key: Input | KeyLike, encoding: BufferEncoding | undefined): Uint8Array {
  if (typeof key === "string") return Buffer.from(key, encoding || "utf8");
  // Imported by the entry, node:crypto would double the time of a cold start.
  const object = types.isCryptoKey(key) ? builtin("node:crypto")?.KeyObject.from(key) : key;
  if (types.isKeyObject(object)) return exportKey(object);
  // Neither a view nor a buffer is one that is detached.
  if (!isDetached(key as ArrayBuffer)) return copyOfInput("createHmac", "key", key as ArrayBuffer);
  throw invalidType("createHmac", "key", KEYS, key);
}

function exportKey(key: KeyObject): Uint8Array {
  if (key.type === "secret") return key.export();
  const text = `createHmac: key must be a secret one, got a ${key.type} key`;
  throw withCode(new TypeError(text), "ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE");
}

/**
 * Creates an HMAC (RFC 2104) with the interface of node:crypto's: `update`, `digest`, and a stream. The `key` option of BLAKE2 and
 * BLAKE3 is the better authentication code, unless a protocol asks for HMAC.
 *
 * @param name one that `createHash` accepts
 * @param key text, bytes, a secret KeyObject, or, from Node 20.16 on, a CryptoKey
 * @param options a Node stream's. As in node:crypto, `encoding` is also that of a key that is text, `"utf8"` by default
 * @throws TypeError with code ERR_INVALID_ARG_TYPE or ERR_CRYPTO_INVALID_DIGEST for any other name; with code
 *   ERR_INVALID_ARG_TYPE for a key of the wrong type, or ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE for a public or private key;
 *   TypeError for any other option
 * @example
 * createHmac("blake2s256", key).update("hello").digest("hex");
 */
export function createHmac(
  name: HashName,
  key: Input | KeyLike,
  options?: StreamOptions | null,
): Omit<Hash, "copy"> & Transform {
  requireArguments("createHmac", arguments.length, 3);
  const { algorithm } = named("createHmac", name);
  const { stream, hash } = splitOptions(name, options);
  requireNoMore("createHmac", hash);
  const bytes = keyBytes(key, stream.encoding);
  try {
    return makeStream(Hmac, name, createFor("createHmac", algorithm, bytes), stream);
  } finally {
    bytes.fill(0);
  }
}
