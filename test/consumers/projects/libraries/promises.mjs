// node promises.mjs LIBRARY [after]: calls in a program in which a library has replaced the global Promise, before the
// package is imported or after.

const [, , name, after] = process.argv;

const LIBRARIES = {
  "zone.js": async () => {
    await import("zone.js/node");
    return (run) => globalThis.Zone.current.fork({ name: "request" }).run(run);
  },
  bluebird: async () => {
    globalThis.Promise = (await import("bluebird")).default;
    return (run) => run();
  },
  /** Replaces Promise while a transaction runs. */
  dexie: async () => {
    await import("fake-indexeddb/auto");
    const { default: Dexie } = await import("dexie");
    const db = new Dexie("digests");
    db.version(1).stores({ digests: "name" });
    return (run) => db.transaction("rw", db.digests, () => Dexie.waitFor(run()));
  },
};

const load = () =>
  Promise.all(["", "/streams", "/node", "/parallel", "/bao"].map((entry) => import(`blake-simd${entry}`)));
const imported = after ? await load() : undefined;
const within = await LIBRARIES[name]();
const [main, streams, node, parallel, bao] = imported ?? (await load());
const { blake2b, blake3, toHex } = main;
const NativePromise = (async () => {})().constructor;
const large = new Uint8Array(9_000_000);
const wanted = blake3.hex(large);
const pool = new parallel.Blake3Pool({ threads: 1 });
const options = { signal: new AbortController().signal, onProgress() {} };

const calls = {
  "digestOf a Blob": () => streams.digestOf(blake3, new Blob([large])),
  "digestOf a stream": () => streams.digestOf(blake3, new Blob([large]).stream(), options),
  "digestOf a small Blob": () => streams.digestOf(blake3, new Blob(["hello"]), options),
  hashFile: () => node.hashFile(blake3, "hello.txt"),
  "hashFile, a descriptor": () => node.hashFile(blake3, "hello.txt", options),
  "a pool": () => pool.hash(new Blob([large]), options),
  "a pool, a file": () => pool.hash({ path: "hello.txt" }),
  outboardOf: async () => (await bao.outboardOf(new Blob([large]), options)).root,
};
for (const [call, make] of Object.entries(calls)) {
  const digest = toHex(await within(make));
  if (digest !== wanted && digest !== blake3.hex("hello")) throw new Error(`${call} under ${name}: ${digest}`);
}
if (name !== "dexie" && globalThis.Promise === NativePromise) throw new Error(`${name} replaces nothing`);
await pool.close();
const bytes = await within(() => streams.digestOf(blake2b, ["hello"]));
console.log(JSON.stringify({ blake3: blake3.hex("hello"), blake2b: toHex(bytes) }));
process.exit();
