// Next.js warns of what the Edge Runtime lacks in any file that an import reaches.
import { blake2b } from "blake-simd/blake2b";
import { blake3 } from "blake-simd/blake3";

export const config = { matcher: "/middleware" };
export const middleware = () => Response.json({ blake3: blake3.hex("hello"), blake2b: blake2b.hex("hello") });
