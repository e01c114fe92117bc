// Without Node's types and without esnext.disposable: what a web page's project has.
import { blake2b, type Hasher, toHex } from "blake-simd";
import { blake256 } from "blake-simd/blake1";
import { blake2s } from "blake-simd/blake2s";
import { blake3 } from "blake-simd/blake3";
import { SubtreeHasher } from "blake-simd/hazmat";
import { DigestStream } from "blake-simd/streams";

const hasher: Hasher = blake3.create().update("hel").update("lo");
const sink = new DigestStream(blake256);
await new Blob(["hello"]).stream().pipeTo(sink);
const digests = [await sink.digest, blake2s("hello"), new SubtreeHasher().update("hello").chainingValue()];
if (digests.some(({ length }) => length !== 32)) throw new Error("an entry does not do what its types say");
console.log(JSON.stringify({ blake3: hasher.digest("hex"), blake2b: toHex(blake2b("hello")) }));
