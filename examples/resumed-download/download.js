// Downloads a file and verifies it as it arrives. Only verified bytes are written, so a download that was interrupted
// continues where it stopped.
//
//   node download.js URL FILE BLAKE3    URL.obao is the outboard: blakesum bao outboard --group 16384 FILE FILE.obao
import { appendFile, open } from "node:fs/promises";
import { blake3, equal, fromHex } from "blake-simd";
import { fetchVerified, IntegrityError } from "blake-simd/bao";
import { hashFile } from "blake-simd/node";

const [url, name, root] = process.argv.slice(2);
const ATTEMPTS = 5;

async function sizeOf() {
  const file = await open(name, "a");
  const { size } = await file.stat();
  await file.close();
  return size;
}

/** Whether another request would fail, too. */
const isFinal = (error) => error instanceof IntegrityError && error.reason !== "truncated";

function fail(text) {
  console.error(text);
  process.exit(1);
}

const outboard = { url: `${url}.obao` };
for (let attempt = 1; ; attempt++) {
  const start = await sizeOf();
  console.log(`from byte ${start}`);
  try {
    for await (const chunk of await fetchVerified(url, { root, outboard, start })) await appendFile(name, chunk);
    break;
  } catch (error) {
    if (isFinal(error) || attempt === ATTEMPTS) fail(String(error));
    console.log(error.message);
  }
}
// The bytes that were there before the first run may be those of another file.
if (!equal(await hashFile(blake3, name), fromHex(root))) fail(`${name}: it was there before, and is not from ${url}`);
console.log(`${name} is complete`);
