// This package, one build of it; each build is imported from a file of its own, so that the engine optimises it alone.
import { algorithms } from "../cases/cases.mjs";
import {
  blobOf,
  fedOnce,
  forEachOf,
  hashers,
  inTurn,
  pathOf,
  readAll,
  resumed,
  streamOf,
  typed,
  whenNode,
} from "./shared.mjs";

/** The rival of one build: { build: "simd128" | "baseline", entry: URL of the package's index.js }. */
export function ours({ build, entry }) {
  return {
    name: `blake-simd/${build}`,
    kind: "ours",
    packages: [],
    load: () => load(build, entry),
    offers: forEachOf(Object.keys(algorithms), offersOf),
  };
}

/** The file that an import by the package's name would choose: package.json has a condition for Bun. */
function chosenBy(runtime, entry) {
  return runtime.Bun ? entry.replace(/dist\/index\.js$/, "dist/conditional/index.js") : entry;
}

/** Everything that the package exports, of one build. */
export async function load(build, entry) {
  const library = await import(chosenBy(globalThis, entry));
  library.useBackend(build);
  if (library.backend() !== build) throw new Error(`asked for the ${build} build, got ${library.backend()}`);
  const part = (name) => import(entry.replace(/index\.js$/, name));
  const parts = await Promise.all([
    part("states.js"),
    part("typed.js"),
    part("hmac.js"),
    part("streams.js"),
    whenNode(() => part("node.js")),
  ]);
  return Object.assign({}, library, ...parts);
}

/** What this package does with an algorithm; there is no call for what it does not have yet. */
function offersOf(name) {
  const builders = buildersOf(algorithms[name].extendable && name !== "blake3");
  const builder = (build) => (library, parameters) => library[name] && build(library[name], parameters, library);
  return Object.fromEntries(Object.entries(builders).map(([mode, build]) => [mode, builder(build)]));
}

const reused = (hasher) => hashers(() => hasher.reset());

/** mode -> (hash, parameters) -> call; the BLAKE2X functions are told their length each time. */
function buildersOf(extended) {
  const basic = (length) => (extended ? { length } : undefined);
  const withOptions = (hash, options) => (options ? (bytes) => hash(bytes, options) : hash);
  return {
    hash: (hash, { length }) => withOptions(hash, basic(length)),
    keyed: (hash, { key, length }) => withOptions(hash, { key, ...basic(length) }),
    derive: (hash, { context }) => withOptions(hash, { context }),
    xof: (hash, { length }) => withOptions(hash, { length }),
    incremental: (hash, { length }) => hash.create && reused(hash.create(basic(length))),
    typed(hash, { length }, { updateUint32LE }) {
      return (
        hash.create &&
        typed(
          hashers(() => hash.create(basic(length))),
          updateUint32LE,
        )
      );
    },
    save(hash, { length }, { save, restore }) {
      return resumed(
        () => hash.create(basic(length)),
        (hasher) => restore(hash, save(hasher)),
      );
    },
    many(hash, { length }) {
      return hash.many && ((inputs) => hash.many(inputs, basic(length)));
    },
    ...usedBuilders,
  };
}

const hex = (hasher) => hasher.digest("hex");

/** OpenSSL's names, which fix the length. */
const openssl = { blake2b: "blake2b512", blake2s: "blake2s256" };

/** The same for the calls of `usedCases`. */
const usedBuilders = {
  create: (hash) => fedOnce(() => hash.create(), hex),
  reset(hash) {
    const hasher = hash.create();
    return fedOnce(() => hasher.reset(), hex);
  },
  base64: (hash) =>
    fedOnce(
      () => hash.create(),
      (hasher) => hasher.digest("base64"),
    ),
  text: (hash) => hash.hex,
  long:
    (hash, { length }) =>
    (bytes) =>
      hash.hex(bytes, { length }),
  xof64: (hash, { length }) =>
    fedOnce(
      () => hash.create(),
      (hasher) => hasher.xof().read(length),
    ),
  turns: (hash) => inTurn(() => hash.create(), hex),
  createHash({ algorithm }, _, { createHash }) {
    const name = openssl[algorithm] ?? algorithm;
    return createHash && fedOnce(() => createHash(name), hex);
  },
  hmac:
    (hash, { key }, { hmac }) =>
    (bytes) =>
      hmac(hash, key, bytes),
  hmacReset(hash, { key }, { hmac }) {
    const mac = hmac.create(hash, key);
    return fedOnce(
      () => mac.reset(),
      (fed) => fed.digest(),
    );
  },
  createHmac({ algorithm }, { key }, { createHmac }) {
    const name = openssl[algorithm] ?? algorithm;
    return createHmac && fedOnce(() => createHmac(name, key), hex);
  },
  file: (hash, _, { hashFile }) => hashFile && ((bytes) => hashFile(hash, pathOf(bytes))),
  body:
    (hash, _, { digestOf }) =>
    (text) =>
      digestOf(hash, new Response(text)),
  blob:
    (hash, _, { digestOf }) =>
    (bytes) =>
      digestOf(hash, blobOf(bytes)),
  bytes:
    (hash, _, { digestOf }) =>
    (bytes) =>
      digestOf(hash, bytes),
  through:
    (hash, _, { HashStream }) =>
    async (bytes) => {
      const stream = new HashStream(hash);
      await readAll(streamOf(bytes).pipeThrough(stream));
      return stream.digest;
    },
};
