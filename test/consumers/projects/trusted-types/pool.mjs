// A worker of a pool has no TrustedScriptURL, so the calling thread computes.
import { blake3 } from "blake-simd/blake3";
import { Blake3Pool } from "blake-simd/parallel";
import { digests } from "./hello.mjs";

async function report() {
  const pool = new Blake3Pool({ threads: 2 });
  const message = new Uint8Array(3_000_000);
  if (String(await pool.hash(message)) !== String(blake3(message))) return { error: "a pool has another digest" };
  return pool.threads === 0 ? digests() : { error: `${pool.threads} threads` };
}

await fetch("/report", { method: "POST", body: JSON.stringify(await report()) });
