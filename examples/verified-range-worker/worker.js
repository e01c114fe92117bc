// A Cloudflare worker that serves ranges of files from an untrusted origin. env.MANIFEST says, as JSON, which files
// there are: { "/film.mp4": { "blake3": HEX, "length": BYTES } }. Beside each lies its outboard, as blakesum makes it:
//
//   blakesum bao outboard --group 16384 film.mp4 film.mp4.obao
//
// Of file and outboard only what a range needs is fetched, and no byte goes out before it is verified. A Worker's
// variables (`vars`) set MANIFEST and ORIGIN.
//
//   npx wrangler dev worker.js --compatibility-date 2026-01-01 --var ORIGIN:URL --var MANIFEST:JSON
import { fetchVerified } from "blake-simd/bao";

/** The one range that is asked for, as [start, end), or undefined. */
function rangeOf(header, length) {
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === undefined) return undefined;
  const [start, end] = [Number(first), Math.min(last === "" ? length : Number(last) + 1, length)];
  return start < end ? [start, end] : undefined;
}

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    const file = JSON.parse(env.MANIFEST)[pathname];
    if (!file) return new Response("not found\n", { status: 404 });
    const range = rangeOf(request.headers.get("Range"), file.length);
    if (!range)
      return new Response("ask for a range\n", { status: 416, headers: { "Content-Range": `bytes */${file.length}` } });

    const [start, end] = range;
    const url = env.ORIGIN + pathname;
    const outboard = { url: `${url}.obao`, length: file.length };
    try {
      const body = await fetchVerified(url, { root: file.blake3, outboard, start, end, signal: request.signal });
      const headers = {
        "Content-Type": "application/octet-stream",
        "Content-Length": String(end - start),
        "Content-Range": `bytes ${start}-${end - 1}/${file.length}`,
      };
      return new Response(body, { status: 206, headers });
    } catch (error) {
      console.log(`${pathname}: ${error.message}`);
      return new Response("the origin cannot be used\n", { status: 502 });
    }
  },
};
