// The survey in a browser: the page with every rival in it, bundled and served to the browsers of test/runtimes.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { ISOLATED } from "../../test/runtimes/hosts/browsers.mjs";
import { openPage } from "../../test/runtimes/hosts/page.mjs";
import { root } from "./prepare.mjs";

const HTML = `<!doctype html><title>blake-simd</title><script type="module" src="/bench/page/page.js"></script>`;

/** Packages for Node only: their import fails in a page, so they are left out there. */
const external = ["node:*", ...builtinModules, "@napi-rs/blake-hash", "blake-hash/*"];

const minute = 60_000;

const page = `${root}build/bench/page`;

let files;

/** { rows, absent } of a request; throws what goes wrong in the page. */
export async function surveyInBrowser(browser, request) {
  files ??= { ...(await bundlePage()), ...(await bundleBuilds(request.builds)) };
  const builds = request.builds.map(({ build }) => ({ build, entry: pathOf(build) }));
  const folder = mkdtempSync(join(tmpdir(), "blake-simd-bench-"));
  try {
    const answer = await openPage(browser, {
      files: { ...files, "/request.json": JSON.stringify({ ...request, builds }) },
      // Cross-origin isolation gives the page the finer clock.
      headers: ISOLATED,
      folder,
      milliseconds: 60 * minute,
    });
    if (answer.error) throw new Error(answer.error);
    return answer;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The page, and the kernels that its scripts fetch. */
async function bundlePage() {
  const scripts = await bundle({ entryPoints: [`${root}bench/survey/page.mjs`], outdir: page, splitting: true });
  const served = scripts.map(({ path, contents }) => [`/bench/page/${relative(page, path)}`, contents]);
  return {
    "/index.html": HTML,
    ...Object.fromEntries(served),
    "/bench/page/blake3.wasm": readFileSync(`${root}bench/node_modules/blake3-wasm/esm/wasm/blake3.wasm`),
    ...filesUnder(`${root}build/oracles/wasm/`, "/build/oracles/wasm/"),
  };
}

const pathOf = (build) => `/${build}/index.js`;

/** Each of our builds, with scripts of its own. */
async function bundleBuilds(builds) {
  const bundles = builds.map(async ({ build, entry }) => {
    const entryPoints = ["index.js", "states.js", "typed.js", "hmac.js", "streams.js"].map((name) =>
      fileURLToPath(new URL(name, entry)),
    );
    const outdir = join(page, build);
    const scripts = await bundle({ entryPoints, outdir, splitting: true });
    return scripts.map(({ path, contents }) => [`/${build}/${relative(outdir, path)}`, contents]);
  });
  return Object.fromEntries((await Promise.all(bundles)).flat());
}

async function bundle(options) {
  const common = { bundle: true, format: "esm", target: "es2022", external, write: false, logLevel: "error" };
  return (await build({ ...common, ...options })).outputFiles;
}

/** The contents of a folder's scripts and kernels by the path they are served under; nothing if there is no folder. */
function filesUnder(folder, prefix) {
  const names = statSync(folder, { throwIfNoEntry: false }) ? readdirSync(folder, { recursive: true }) : [];
  const wanted = names.filter((name) => /\.(js|wasm)$/.test(name));
  return Object.fromEntries(wanted.map((name) => [prefix + name, readFileSync(folder + name)]));
}
