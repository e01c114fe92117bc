// A Cloudflare worker that fetches a file from env.ORIGIN, verifies it on the fly, and aborts the response if the file
// is not the one that was published: GET /v1.2.0.tar.gz?blake3=HEX. A Worker's variable (`vars`) sets ORIGIN.
//
//   npx wrangler dev worker.js --compatibility-date 2026-01-01 --var ORIGIN:URL
import { blake3 } from "blake-simd/blake3";
import { verified } from "blake-simd/streams";

export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    const expected = searchParams.get("blake3") ?? "";
    if (!/^[0-9a-f]{64}$/.test(expected))
      return new Response("blake3 must be 64 hexadecimal digits\n", { status: 400 });
    const origin = await fetch(env.ORIGIN + pathname);
    if (!origin.ok) return new Response("not found\n", { status: 404 });
    const { body } = verified(blake3, origin, expected);
    return new Response(body, { headers: { "Content-Type": "application/octet-stream" } });
  },
};
