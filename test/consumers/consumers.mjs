// The consumers: each a copy of a folder of projects/, with `files` of its own, and the commands that build it and run
// what was built. The last one prints a line of JSON with the digests for each program that computes them (`programs`,
// one unless said). Those that are `nightly` differ from another in what the package has no part in.
const CURRENT = "script-src 'self' 'wasm-unsafe-eval'";
const FORBIDDING = "script-src 'self'";
const FORBIDDEN = "a page's policy needs 'wasm-unsafe-eval'";

/** A page of one script. */
const page = (script) => ({
  "index.html": `<!doctype html>\n<title>blake-simd</title>\n<script type="module" src="${script}"></script>\n`,
});
const open = (folder, ...args) => ["node", "../../open.mjs", folder, ...args];
const esbuild = (entries) => `esbuild ${entries} --bundle --format=esm --log-level=warning --outdir=.`;
const webpack = (entry, options) => ["node", "../../webpack.mjs", entry, JSON.stringify(options)];
const viteBuild = ["vite build --logLevel warn", open("dist", CURRENT)];

/** What computes the digests by entries other than the root, which some resolvers find in another way. */
const ENTRIES = `
import { blake2b } from "blake-simd/blake2b";
import { blake3 } from "blake-simd/blake3";

export const digests = () => ({ blake3: blake3.hex("hello"), blake2b: blake2b.hex("hello") });
export const attempt = digests;
`;

const bundled = [
  { name: "Rollup", steps: ["rollup print.mjs -p node-resolve -o out.mjs", "node out.mjs"] },
  { name: "webpack 5", steps: [webpack("./print.mjs", { target: ["web", "es2022"] }), "node out.mjs"] },
  {
    name: "Parcel",
    files: { ...page("post.mjs"), "hello.mjs": ENTRIES },
    steps: [
      "parcel build index.html --dist-dir dist --no-source-maps --no-cache --log-level warn",
      open("dist", CURRENT),
    ],
  },
  { name: "the kernels, files in Node", project: "kernels", steps: ["node files.mjs"] },
  {
    name: "the kernels, webpack 5",
    project: "kernels",
    steps: [
      webpack("./imports.mjs", {
        target: "node20",
        experiments: { asyncWebAssembly: true, outputModule: true },
        output: { module: true },
      }),
      "node out.mjs",
    ],
  },
  { name: "the kernels, Vite", project: "kernels", files: page("/page.mjs"), steps: viteBuild },
  {
    name: "Metro, in Hermes",
    project: "metro",
    steps: ["node22 bundle.mjs", "../../../runtimes/node_modules/hermes-engine-cli/linux64-bin/hermes -w out.js"],
  },
  {
    name: "Metro without exports, in Hermes",
    project: "metro",
    files: { "hello.mjs": ENTRIES },
    steps: [
      "node22 bundle.mjs --no-exports",
      "../../../runtimes/node_modules/hermes-engine-cli/linux64-bin/hermes -w out.js",
    ],
  },
];

const pages = [
  {
    name: "a page that forbids WebAssembly",
    files: page("/post.js"),
    steps: [esbuild("post.mjs"), open(".", FORBIDDING)],
    error: FORBIDDEN,
  },
];

const next = (name, options) => ({
  name: `Next.js ${name}`,
  project: "next",
  steps: [`node ../../node_modules/next/dist/bin/next build ${options}`.trim(), "node serve.mjs node edge middleware"],
  programs: 3,
});
/** With webpack, version 16 does not find a file of its own for a route on the edge, whatever is in it. */
const next16Webpack = () => {
  const { steps, ...others } = next("16, webpack", "--webpack");
  return { ...others, steps: ["rm -r app/edge", steps[0], "node serve.mjs node middleware"], programs: 2 };
};
const frameworks = [next("16, Turbopack", ""), next16Webpack()];

const jest = (...options) => [
  `node --experimental-vm-modules ../../node_modules/jest/bin/jest.js --rootDir . --silent ${options.join(" ")}`.trim(),
];
const COMMONJS = {
  "package.json": {
    type: "commonjs",
    jest: { transformIgnorePatterns: ["/node_modules/(?!(?:\\.pnpm/)?blake-simd(?:@|/))"] },
  },
  "babel.config.js": 'module.exports = { plugins: ["@babel/plugin-transform-modules-commonjs"] };\n',
};
const TS_JEST = {
  ...COMMONJS["package.json"].jest,
  transform: { "^.+\\.[jt]s$": ["ts-jest", { compiler: "typescript5" }] },
};

const written = ({ steps, ...consumer }) => ({ ...consumer, steps: [...steps.flat(), "cat digests.json"] });
/** Test runners, in environments with and without a browser's globals. */
const runners = [
  ...["node", "jsdom"].flatMap((environment) => [
    {
      name: `Jest, ${environment}`,
      project: "runner",
      steps: jest("--transform", "{}", "--env", environment),
    },
    {
      name: `Jest, CommonJS, transformed by Babel, ${environment}`,
      project: "runner",
      files: COMMONJS,
      steps: jest("--env", environment),
    },
  ]),
  {
    name: "Jest, CommonJS, made ES5 by Babel",
    project: "runner",
    files: { ...COMMONJS, "babel.config.js": 'module.exports = { presets: ["@babel/preset-env"] };\n' },
    steps: jest("--env", "node"),
  },
  {
    name: "Jest, CommonJS, in the folders of pnpm",
    project: "runner",
    files: COMMONJS,
    steps: [
      "mkdir -p node_modules/.pnpm/blake-simd@1.0.0/node_modules",
      "cp -r ../node_modules/blake-simd node_modules/.pnpm/blake-simd@1.0.0/node_modules",
      "ln -s .pnpm/blake-simd@1.0.0/node_modules/blake-simd node_modules/blake-simd",
      ...jest("--env", "node"),
    ],
  },
  {
    name: "next/jest",
    project: "runner",
    files: {
      "package.json": { type: "commonjs" },
      "jest.config.js": 'module.exports = require("next/jest")({ dir: __dirname })();\n',
      "next.config.js": 'module.exports = { transpilePackages: ["blake-simd"] };\n',
    },
    steps: ["mkdir pages", ...jest("--env", "node")],
  },
  {
    name: "Jest, CommonJS, import()",
    project: "jest-import",
    files: { "package.json": { type: "commonjs" } },
    steps: jest(),
  },
  {
    name: "ts-jest",
    project: "ts-jest",
    files: { "package.json": { type: "commonjs", jest: TS_JEST } },
    steps: jest(),
  },
  ...["node forks", "jsdom threads", "jsdom vmThreads", "happy-dom threads", "happy-dom vmThreads"].map((where) => ({
    name: `vitest, ${where}`,
    project: "runner",
    // Without it, vitest takes the configuration of a folder above.
    files: { "vitest.config.mjs": "export default {};\n" },
    steps: [`vitest run --globals --environment ${where.replace(" ", " --pool ")}`],
  })),
].map(written);

/** Compilers that make ES5 of the package, as builds for old browsers do. */
const es5 = ["Babel", "swc", "TypeScript"].map((compiler) => ({
  name: `ES5 by ${compiler}`,
  project: "es5",
  steps: [`node compile.mjs ${compiler.toLowerCase()}`, "node calls.mjs", "node print.mjs"],
}));

const compilerOptions = {
  target: "ES2022",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  declaration: true,
  skipLibCheck: false,
  lib: ["ES2023"],
  types: ["node"],
};

/** Compiles a program and runs it. */
const typescript = (compiler, program, options) => ({
  files: { "tsconfig.json": { compilerOptions: { ...compilerOptions, ...options }, files: [`${program}.ts`] } },
  steps: [`node ../../node_modules/${compiler}/bin/tsc`, `node ${program}.js`],
});

const COMPILERS = { 5.4: "typescript54", 5.9: "typescript5", "6.0": "typescript", "7.0": "typescript7" };
const NEWEST = Object.keys(COMPILERS).at(-1);
const MODULES = { node10: "esnext", node16: "node16", nodenext: "nodenext", bundler: "esnext" };
/** What a project has: its program, and options of its own. */
const PROJECTS = {
  bare: ["bare", { lib: ["ES2022"], types: [] }],
  web: ["web", { lib: ["ES2022", "DOM"], types: [] }],
  workers: ["workers", { lib: ["ES2022"], types: ["@cloudflare/workers-types"] }],
  node: ["everything", {}],
  dom: ["everything", { lib: ["ES2023", "DOM", "DOM.AsyncIterable"] }],
  node22: ["everything", { typeRoots: ["../../node_modules/@types22"] }],
  node24: ["everything", { typeRoots: ["../../node_modules/@types24"] }],
};

function strict(version, resolution, types) {
  const [program, options] = PROJECTS[types];
  const old = resolution === "node10" && version === "6.0" ? { ignoreDeprecations: "6.0" } : {};
  const modules = { moduleResolution: resolution, module: MODULES[resolution] };
  return {
    name: `TypeScript ${version}, ${resolution}, ${types}`,
    project: "typescript",
    // The project itself is compiled by 6.0.
    nightly:
      version !== NEWEST &&
      !["5.4, nodenext, node", "5.9, node10, node"].includes(`${version}, ${resolution}, ${types}`),
    ...typescript(COMPILERS[version], program, { ...options, ...modules, ...old }),
  };
}

const compiled = Object.keys(COMPILERS).flatMap((version) => [
  ...Object.keys(PROJECTS).map((types) => strict(version, "nodenext", types)),
  // TypeScript 7 has no node10.
  ...["node10", "node16", "bundler"]
    .filter((resolution) => version !== NEWEST || resolution !== "node10")
    .map((resolution) => strict(version, resolution, "node")),
]);

const noble = (name, ...before) => {
  const { files, steps } = typescript("typescript7", "noble", { module: "nodenext", skipLibCheck: true });
  return { name: `@noble/hashes ${name}`, project: "noble", files, steps: [...before, ...steps] };
};

const replacing = ["zone.js", "bluebird", "dexie"].map((library) => ({
  name: `${library}, which replaces Promise`,
  project: "libraries",
  files: { "hello.txt": "hello" },
  steps: [`node promises.mjs ${library}`, `node promises.mjs ${library} after`],
}));

const inNode = [
  { name: "Vue, MobX, Immer and Valtio, which wrap objects", project: "libraries", steps: ["node holders.mjs"] },
  ...replacing,
  { name: "require() in Node 22", project: "require", steps: ["node22 print.cjs"] },
  noble("2"),
  noble(
    "1.8",
    "mkdir -p node_modules/@noble",
    // The one below it has its own name, by which it imports itself.
    "ln -s ../../../../node_modules/@noble1/curves ../../../../node_modules/@noble1/curves/node_modules/@noble/hashes node_modules/@noble",
  ),
  { name: "the recipes", project: "recipes", steps: ["node recipes.mjs"] },
];

export const consumers = [...bundled, ...pages, ...frameworks, ...runners, ...es5, ...inNode, ...compiled];
