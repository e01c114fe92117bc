// Every rival, in the order of the table's columns. A rival is an object, or a module's list of them:
//   name      the column's heading
//   kind      "wasm" | "js" | "builtin": beside ours; "addon" | "native" | "other": shown apart
//   packages  whose versions go into the results
//   load      () -> its library, possibly a promise; a rejection means that it is left out, with the reason
//   offers    algorithm -> mode -> (library, { key, context, length }) -> call, possibly a promise
//             call(bytes) -> the digest, computed when it returns; a promise of it and hexadecimal text will do
//             where a package has several ways, the mode has an object: way -> the same; the fastest counts
// "incremental" gives hashers for the modes "stream" and "typed". Modes over several messages need no entry: where
// there is none, "hash" is called for each.

import blakeHash from "./blake-hash.mjs";
import blake2 from "./blake2.mjs";
import blake2bWasm from "./blake2b-wasm.mjs";
import blake3Jit from "./blake3-jit.mjs";
import blake3Wasm from "./blake3-wasm.mjs";
import blakejs from "./blakejs.mjs";
import hashWasm from "./hash-wasm.mjs";
import libsodium from "./libsodium.mjs";
import napi from "./napi-blake-hash.mjs";
import noble from "./noble.mjs";
import nodeCrypto from "./node-crypto.mjs";
import rustWasm from "./rust-wasm.mjs";
import stablelib from "./stablelib.mjs";
import webbuf from "./webbuf.mjs";

export default [
  hashWasm,
  noble,
  blake3Jit,
  blake3Wasm,
  webbuf,
  blake2bWasm,
  libsodium,
  blakejs,
  stablelib,
  rustWasm,
  nodeCrypto,
  blakeHash,
  blake2,
  napi,
].flat();
