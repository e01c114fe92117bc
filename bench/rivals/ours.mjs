// This package, one build of it; each build is imported from a file of its own, so that the engine optimises it alone.
import { algorithms } from "../cases.mjs";
import { forEachOf, hashers, resumed, typed } from "./shared.mjs";

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

async function load(build, entry) {
  const library = await import(chosenBy(globalThis, entry));
  library.useBackend(build);
  if (library.backend() !== build) throw new Error(`asked for the ${build} build, got ${library.backend()}`);
  const states = await import(entry.replace(/index\.js$/, "states.js"));
  return { ...library, ...states };
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
    typed(hash, { length }) {
      const append = (hasher, number) => hasher.updateUint32LE(number);
      return (
        hash.create &&
        typed(
          hashers(() => hash.create(basic(length))),
          append,
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
  };
}
