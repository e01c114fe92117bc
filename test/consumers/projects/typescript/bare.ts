// With neither the DOM's types nor Node's: only what every engine has.
import { blake2b, blake3, type Hasher, toHex, type Xof } from "blake-simd";
import { SubtreeHasher } from "blake-simd/hazmat";
import { restore, save } from "blake-simd/states";

declare const console: { log(text: string): void };

const key = new Uint8Array(32);
const hasher: Hasher = blake3.create({ length: undefined }).update("hel").update("lo");
const xof: Xof = restore(blake3, save(hasher)).xof();
const name: "blake3" = blake3.algorithm;
export const digests = [xof.read(32), new SubtreeHasher({ key, offset: undefined }).update("hello").chainingValue()];
if (digests.some(({ length }) => length !== 32)) throw new Error("an entry does not do what its types say");
console.log(JSON.stringify({ [name]: hasher.digest("hex"), blake2b: toHex(blake2b("hello", { salt: undefined })) }));
