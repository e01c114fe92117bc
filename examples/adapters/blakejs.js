// blakejs.js: the interface of blakejs over blake-simd.
import { blake2b as b, blake2s as s } from "blake-simd";

function options(length, key, salt, personal) {
  const given = { length: Number(length) };
  if (key) given.key = key;
  if (salt) given.salt = salt;
  if (personal) given.personal = personal;
  return given;
}

export const blake2b = (input, key, length, salt, personal) => b(input, options(length || 64, key, salt, personal));
export const blake2bHex = (input, key, length, salt, personal) =>
  b.hex(input, options(length || 64, key, salt, personal));
export const blake2bInit = (length, key, salt, personal) => b.create(options(length, key, salt, personal));
export const blake2bUpdate = (context, bytes) => void context.update(new Uint8Array(bytes));
export const blake2bFinal = (context) => context.digest();

export const blake2s = (input, key, length) => s(input, options(length || 32, key));
export const blake2sHex = (input, key, length) => s.hex(input, options(length || 32, key));
export const blake2sInit = (length, key) => s.create(options(length, key));
export const blake2sUpdate = blake2bUpdate;
export const blake2sFinal = blake2bFinal;
