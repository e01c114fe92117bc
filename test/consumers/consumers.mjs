// The consumers: a folder under projects/ each, and the commands that build it and run what was built. The last one prints
// a line of JSON with the digests for each program that computes them (`programs`, one unless said). `example` is a folder of
// examples/ whose files the project uses. Those that are `nightly` differ from another in what the package has no part in.
const CURRENT = "script-src 'self' 'wasm-unsafe-eval'";
const FORBIDDING = "script-src 'self'";

const BUNDLE_EXTENSION =
  "esbuild content.mjs background.mjs --bundle --format=iife --log-level=warning --outdir=extension";

const COMPILERS = { 5.4: "typescript54", 5.9: "typescript5", "6.0": "typescript", "7.0": "typescript7" };
const RESOLUTIONS = { node10: "esnext", node16: "node16", nodenext: "nodenext", bundler: "esnext" };
// Each strict project's configuration, and its program.
const PROJECTS = {
  bare: "bare",
  web: "web",
  node: "everything",
  dom: "everything",
  node22: "everything",
  node24: "everything",
  workers: "workers",
};

const NEWEST = Object.keys(COMPILERS).at(-1);

const typescript = (version, resolution, [types, program]) => ({
  nightly: version !== NEWEST && (types !== "node" || resolution !== (version === "5.9" ? "node10" : "nodenext")),
  name: `TypeScript ${version}, ${resolution}, ${types}`,
  project: "typescript",
  steps: [
    `node ../../node_modules/${COMPILERS[version]}/bin/tsc -p tsconfig.${types}.json --moduleResolution ${resolution} --module ${RESOLUTIONS[resolution]}${resolution === "node10" && version === "6.0" ? " --ignoreDeprecations 6.0" : ""}`,
    `node ${types}/${program}.js`,
  ],
});

const strict = Object.keys(COMPILERS).flatMap((version) => [
  ...Object.entries(PROJECTS).map((project) => typescript(version, "nodenext", project)),
  // TypeScript 7 has no node10.
  ...["node10", "node16", "bundler"]
    .filter((resolution) => version !== NEWEST || resolution !== "node10")
    .map((resolution) => typescript(version, resolution, ["node", PROJECTS.node])),
]);

export const consumers = [
  {
    name: "esbuild",
    steps: ["esbuild print.mjs --bundle --minify --format=esm --log-level=warning --outfile=out.mjs", "node out.mjs"],
  },
  { name: "Rollup", project: "rollup", steps: ["rollup -c --silent", "node out.mjs"] },
  { name: "webpack 5", project: "webpack", steps: ["node build.mjs", "node out.mjs"] },
  {
    name: "Vite, build, strict CSP",
    project: "vite",
    steps: ["vite build --logLevel warn", ["node", "../../open.mjs", "dist", CURRENT]],
  },
  {
    name: "Parcel",
    project: "parcel",
    steps: [
      "parcel build index.html --dist-dir dist --no-source-maps --no-cache --log-level warn",
      ["node", "../../open.mjs", "dist", CURRENT],
    ],
  },
  { name: "Vite, dev", project: "vite-dev", steps: ["node dev.mjs"] },
  {
    name: "a page that forbids WebAssembly",
    project: "page",
    steps: [
      "esbuild post.mjs --bundle --format=esm --log-level=warning --outfile=out.js",
      ["node", "../../open.mjs", ".", FORBIDDING],
    ],
    error: "a page's policy needs 'wasm-unsafe-eval'",
  },
  {
    name: "a page with Trusted Types",
    project: "trusted-types",
    steps: [
      "esbuild pool.mjs --bundle --format=esm --log-level=warning --outfile=out.js",
      ["node", "../../open.mjs", ".", `${CURRENT}; require-trusted-types-for 'script'`],
    ],
  },
  {
    name: "an extension, Manifest V3",
    project: "extension",
    steps: [BUNDLE_EXTENSION, ["node", "../../open.mjs", ".", FORBIDDING, "extension"]],
  },
  {
    name: "an extension whose manifest has no policy",
    project: "extension",
    steps: [
      BUNDLE_EXTENSION,
      "sed -i /content_security_policy/d extension/manifest.json",
      ["node", "../../open.mjs", ".", FORBIDDING, "extension"],
    ],
    error: "a page's policy needs 'wasm-unsafe-eval'",
  },
  {
    name: "an AudioWorklet",
    project: "audio-worklet",
    steps: [
      "esbuild out=page.mjs worklet=worklet.mjs --bundle --format=esm --log-level=warning --outdir=.",
      ["node", "../../open.mjs", ".", CURRENT],
    ],
  },
  { name: "Next.js 16, Turbopack", project: "next", steps: ["next build", "node serve.mjs"], programs: 2 },
  {
    name: "Next.js 16, webpack",
    project: "next",
    steps: ["next build --webpack", "node serve.mjs"],
    programs: 2,
    nightly: true,
  },
  ...["Turbopack", "webpack"].map((bundler) => ({
    name: `Next.js 15.5, ${bundler}`,
    project: "next",
    steps: [
      "ln -s ../../nightly/node_modules node_modules",
      `node node_modules/next/dist/bin/next build${bundler === "webpack" ? "" : " --turbopack"}`,
      "node serve.mjs",
    ],
    programs: 2,
    nightly: true,
  })),
  {
    name: "@vercel/nft",
    project: "nft",
    steps: ["node trace.mjs", "node ../deployed/-vercel-nft/print.mjs"],
  },
  {
    name: "Metro, in Hermes",
    project: "metro",
    steps: ["node22 bundle.mjs", "../../../runtimes/node_modules/hermes-engine-cli/linux64-bin/hermes -w out.js"],
  },
  { name: "wrangler", steps: ["wrangler deploy --dry-run --outdir out", "node serve.mjs"], project: "wrangler" },
  {
    name: "Nitro, for Cloudflare",
    project: "nitro",
    steps: ["nitro build --preset cloudflare-module", "node serve.mjs"],
  },
  {
    name: "Jest",
    project: "jest",
    steps: [
      "node --experimental-vm-modules ../../node_modules/jest/bin/jest.js --rootDir . --silent --testMatch **/*.test.mjs",
      "cat digests.json",
    ],
  },
  {
    name: "Jest, CommonJS, transformed by Babel",
    project: "jest-commonjs",
    steps: ["node ../../node_modules/jest/bin/jest.js --rootDir . --silent", "cat digests.json"],
  },
  {
    name: "Jest, CommonJS, import()",
    project: "jest-import",
    steps: [
      "node --experimental-vm-modules ../../node_modules/jest/bin/jest.js --rootDir . --silent",
      "cat digests.json",
    ],
  },
  {
    name: "Jest, CommonJS, jsdom",
    project: "jest-jsdom",
    steps: ["node ../../node_modules/jest/bin/jest.js --rootDir . --silent", "cat digests.json"],
  },
  {
    name: "Jest, jsdom",
    project: "jsdom",
    steps: [
      "node --experimental-vm-modules ../../node_modules/jest/bin/jest.js --rootDir . --silent --env jsdom --transform {}",
      "cat digests.json",
    ],
  },
  {
    name: "ts-jest",
    project: "ts-jest",
    steps: ["node ../../node_modules/jest/bin/jest.js --rootDir . --silent", "cat digests.json"],
  },
  ...["jsdom", "happy-dom"].flatMap((environment) =>
    ["threads", "vmThreads"].map((pool) => ({
      name: `vitest, ${environment}, ${pool}`,
      project: "jsdom",
      steps: [`vitest run --globals --environment ${environment} --pool ${pool}`, "cat digests.json"],
    })),
  ),
  { name: "vitest", project: "vitest", steps: ["vitest run", "cat digests.json"] },
  { name: "require() in Node 22", project: "require", steps: ["node22 print.cjs"] },
  {
    name: "@noble/hashes and @noble/curves 2",
    project: "noble",
    steps: ["node ../../node_modules/typescript7/bin/tsc", "node noble.js"],
  },
  {
    name: "@noble/hashes 1.8 and @noble/curves 1.9",
    project: "noble",
    steps: [
      "mkdir -p node_modules/@noble",
      // The one below it has its own name, by which it imports itself.
      "ln -s ../../../../node_modules/@noble1/curves ../../../../node_modules/@noble1/curves/node_modules/@noble/hashes node_modules/@noble",
      "node ../../node_modules/typescript7/bin/tsc",
      "node noble.js",
    ],
  },
  { name: "multiformats", project: "multiformats", example: "multiformats", steps: ["node cids.mjs"] },
  { name: "the recipes", project: "recipes", steps: ["node recipes.mjs"] },
  { name: "Node's pipeline", project: "pipeline", steps: ["node pipeline.mjs"] },
  { name: "the kernels, files in Node", project: "kernels", steps: ["node files.mjs"] },
  { name: "the kernels, webpack 5", project: "kernels", steps: ["node webpack.mjs", "node out.mjs"] },
  {
    name: "the kernels, Vite",
    project: "kernels",
    steps: ["vite build --logLevel warn", ["node", "../../open.mjs", "dist", CURRENT]],
  },
  ...strict,
];
