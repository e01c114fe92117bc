// What createHash is in Node, Deno and Bun when it is used as a stream, each time for the first time.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { finished, Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createHash, createHmac } from "blake-simd/node";
import { digestOf } from "blake-simd/streams";

/** Each gives the digest of "abc", as hexadecimal text, by a hash that has not been used. */
const uses = {
  none: (hash) => hash.update("abc").digest("hex"),
  pipe: async (hash) => (await Readable.from(["ab", "c"]).pipe(hash).toArray())[0].toString("hex"),
  pipeline: async (hash) => {
    await pipeline(Readable.from(["ab", "c"]), hash);
    return hash.digest("hex");
  },
  "pipeline through": async (hash) => {
    const texts = [];
    const sink = new Writable({ decodeStrings: false, write: (text, _, done) => done(void texts.push(String(text))) });
    await pipeline(Readable.from(["abc"]), hash.setEncoding("hex"), sink);
    return texts.join("");
  },
  "async iteration": async (hash) => {
    hash.end("abc");
    const texts = [];
    for await (const chunk of hash) texts.push(chunk.toString("hex"));
    return texts.join("");
  },
  "data and end": async (hash) => {
    let text = "";
    hash.on("data", (chunk) => {
      text += chunk.toString("hex");
    });
    hash.end("abc");
    await once(hash, "end");
    return text;
  },
  "listeners before": async (hash) => {
    const events = [];
    for (const event of ["finish", "end", "close"]) hash.prependListener(event, () => events.push(event));
    hash.resume().end("abc");
    await new Promise((resolve, reject) => finished(hash, (error) => (error ? reject(error) : resolve())));
    assert.deepEqual(events.slice(0, 2).sort(), ["end", "finish"]);
    return hash.digest("hex");
  },
  cork: (hash) => {
    hash.cork();
    hash.write("616263", "hex");
    hash.uncork();
    return hash.end().read().toString("hex");
  },
  members: (hash) => {
    assert.deepEqual([hash.writable, hash.readable, hash.destroyed, hash.readableFlowing], [true, true, false, null]);
    return hash.end("abc").read().toString("hex");
  },
  destroy: async (hash) => {
    hash.update("abc").destroy(new Error("enough"));
    assert.equal((await once(hash, "error"))[0].message, "enough");
    assert.equal(hash.destroyed, true);
    return hash.digest("hex");
  },
  copy: async (hash) => uses.pipeline(hash.copy()),
};

export async function checkNodeStreams({ blake2b, blake3 }) {
  for (const [name, use] of Object.entries(uses)) {
    const hash = createHash("blake2b512");
    assert.ok(hash instanceof Transform && hash instanceof Readable && hash instanceof Writable);
    assert.equal(await use(hash), blake2b.hex("abc"), name);
  }
  const controller = new AbortController();
  const error = once(createHash("blake3", { signal: controller.signal }), "error");
  controller.abort();
  assert.equal((await error)[0].name, "AbortError");
  const [code] = await Readable.from(["ab", "c"]).pipe(createHmac("blake3", "key")).toArray();
  assert.deepEqual(code, createHmac("blake3", "key").update("abc").digest());
  const blob = Object.defineProperty(new Blob(["abc"]), "size", { value: 2 });
  assert.deepEqual(await digestOf(blake3, blob, { onProgress() {} }), blake3("abc"));
  if (globalThis.Bun) await checkFileWithoutSize(blake3, "/proc/version");
}

/** Bun's Blob of a file that does not say its size. */
async function checkFileWithoutSize(blake3, path) {
  const digest = await digestOf(blake3, globalThis.Bun.file(path));
  assert.deepEqual(digest, blake3(readFileSync(path)));
}
