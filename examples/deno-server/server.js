// A Deno server whose responses have a Content-Digest (in the form of RFC 9530) and an ETag, both of their bytes:
//
//   deno run --allow-net server.js
import { blake3 } from "blake-simd/blake3";

const encoder = new TextEncoder();

function respond(request) {
  const body = encoder.encode(`Hello, ${new URL(request.url).pathname.slice(1) || "world"}!\n`);
  const digest = blake3.create().update(body).digest("base64");
  const headers = { "Content-Digest": `blake3=:${digest}:`, ETag: `"${digest}"` };
  if (request.headers.get("If-None-Match") === headers.ETag) return new Response(null, { status: 304, headers });
  return new Response(body, { headers });
}

Deno.serve({ hostname: "127.0.0.1", port: Number(Deno.args[0] ?? 8000) }, respond);
