// Next.js warns of what the Edge Runtime lacks in any file that an import reaches.
import { blake2b } from "blake-simd/blake2b";
import { blake3, toHex } from "blake-simd/blake3";
import { digestOf } from "blake-simd/streams";

export const config = { matcher: "/middleware" };
export async function middleware() {
  return Response.json({ blake3: toHex(await digestOf(blake3, ["hello"])), blake2b: blake2b.hex("hello") });
}
