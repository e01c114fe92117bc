// A page that shows a picture from three mirrors, a part from each at the same time. A mirror that sends a wrong byte
// is named and left out, and another one continues from there.
//
// picture.json, from the page's own server, says { "blake3": HEX, "mirrors": [URL, ...] }; picture.obao is the
// outboard.
//
//   npx vite
import { fetchVerified, Outboard } from "blake-simd/bao";

const PART = 256 * 1024;

const { blake3: root, mirrors } = await (await fetch("picture.json")).json();
const outboard = Outboard.from(await (await fetch("picture.obao")).arrayBuffer(), { root, group: 16384 });
const bytes = new Uint8Array(outboard.length);
const good = new Set(mirrors);

function leaveOut(mirror, error) {
  if (!good.delete(mirror)) return;
  const item = document.createElement("li");
  item.textContent = `${mirror}: ${error.message}`;
  document.getElementById("refused").append(item);
}

/** Gets a part of the picture; what has been verified before a mirror fails is kept. */
async function get(start, end, number) {
  for (let at = start; at < end; ) {
    const mirror = [...good][number % good.size];
    if (!mirror) throw new Error("no mirror has the picture");
    try {
      for await (const chunk of await fetchVerified(mirror, { root, outboard, start: at, end })) {
        bytes.set(chunk, at);
        at += chunk.length;
      }
    } catch (error) {
      leaveOut(mirror, error);
    }
  }
}

const parts = Array.from({ length: Math.ceil(bytes.length / PART) }, (_, i) => i);
await Promise.all(parts.map((i) => get(i * PART, Math.min((i + 1) * PART, bytes.length), i)));
document.getElementById("picture").src = URL.createObjectURL(new Blob([bytes], { type: "image/bmp" }));
