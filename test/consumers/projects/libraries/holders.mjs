// Libraries that keep objects in proxies: what they are given of the package works on.
import { blake2b, blake3 } from "blake-simd";
import { hmac } from "blake-simd/hmac";
import { createHash } from "blake-simd/node";
import { Blake3Pool } from "blake-simd/parallel";
import { DigestStream } from "blake-simd/streams";
import { produce } from "immer";
import { observable } from "mobx";
import { proxy, ref as valtioRef } from "valtio/vanilla";
import { createSSRApp, reactive, ref } from "vue";
import { renderToString } from "vue/server-renderer";

const make = () => ({
  hasher: blake3.create(),
  xof: blake3.create().update("hello").xof(),
  mac: hmac.create(blake2b, new Uint8Array(9)),
  hash: createHash("blake2b512"),
  pool: new Blake3Pool({ threads: 0 }),
  stream: new DigestStream(blake3),
});

/** Uses each object as the library hands it out. */
async function use({ hasher, xof, mac, hash, pool, stream }) {
  mac.update("hello").digest();
  await new Blob(["hello"]).stream().pipeTo(stream);
  const own = [hasher.update("hello").digest("hex"), Buffer.from(xof.read(32)).toString("hex")];
  const others = [await pool.hash(new TextEncoder().encode("hello")), await stream.digest];
  const [blake3, ...rest] = [...own, ...others.map((bytes) => Buffer.from(bytes).toString("hex"))];
  if (rest.some((digest) => digest !== blake3)) throw new Error(`${[blake3, ...rest]}`);
  await pool.close();
  return { blake3, blake2b: hash.update("hello").digest("hex") };
}

/** Vue's data(), read by a render function. */
async function inData() {
  let held;
  await renderToString(
    createSSRApp({
      data: () => ({ held: make() }),
      render() {
        held = this.held;
        return "";
      },
    }),
  );
  return held;
}

const holders = {
  "Vue's ref": () => ref(make()).value,
  "Vue's ref of each": () =>
    Object.fromEntries(Object.entries(make()).map(([name, value]) => [name, ref(value).value])),
  "Vue's reactive": () => reactive({ held: make() }).held,
  "Vue's data()": inData,
  "MobX's observable": () => observable(make()),
  "Immer's produce": () => produce({}, (draft) => void Object.assign(draft, make())),
  // It wraps objects of every class; docs/troubleshooting.md says what to do.
  "Valtio's proxy and ref": () =>
    proxy(Object.fromEntries(Object.entries(make()).map(([name, each]) => [name, valtioRef(each)]))),
};

const results = new Set();
for (const [name, hold] of Object.entries(holders)) {
  try {
    results.add(JSON.stringify(await use(await hold())));
  } catch (error) {
    throw new Error(`${name}: ${error.message}`, { cause: error });
  }
}
const bare = proxy({ hasher: blake3.create() });
try {
  bare.hasher.update("hello");
  throw new Error("docs/troubleshooting.md says that Valtio's proxy needs ref");
} catch ({ message }) {
  if (!message.endsWith("must not be a Proxy")) throw new Error(message);
}
for (const result of results) console.log(result);
