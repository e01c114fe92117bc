import { blake3 } from "blake-simd/blake3";
import { Blake3Pool } from "blake-simd/parallel";
import { digests } from "../../hello.mjs";

export const runtime = "edge";

// The sandbox has getters that throw for what is not supported there.
export async function GET() {
  const pool = new Blake3Pool();
  const message = new Uint8Array(3_000_000);
  const same = String(await pool.hash(message)) === String(blake3(message));
  if (!same || pool.threads > 0) throw new Error("a pool does not compute on the calling thread");
  return Response.json(digests());
}
