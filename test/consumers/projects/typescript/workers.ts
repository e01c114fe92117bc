// A Worker's project: Cloudflare's types in the place of the DOM's.
import { blake2b, blake3, toHex } from "blake-simd";
import { digestOf, HashStream, VerifyStream } from "blake-simd/streams";

export async function digests(): Promise<object> {
  const { body } = new Response("hello");
  if (!body) throw new Error("a response with text must have a body");
  const hash = new HashStream(blake3);
  const verify = new VerifyStream(blake3, blake3("hello"));
  await digestOf(blake2b, body.pipeThrough(hash).pipeThrough(verify), { signal: undefined });
  return { blake3: toHex(await hash.digest), blake2b: toHex(await digestOf(blake2b, new Response("hello"))) };
}

console.log(JSON.stringify(await digests()));
