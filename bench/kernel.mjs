// Builds of a kernel, timed at their exports in turns, in whatever runs this: any Node, Deno or Bun; or in a browser.
//
//   node bench/kernel.mjs A.wasm[@1] B.wasm[@2] [C.wasm ...] [--sizes LIST] [--ways LIST]
//                         [--parameters HEX] [--rounds N] [--browser NAME]
//
//   @1, @2             the shapes for processors whose vector operations take so many cycles; default: 2
//   --sizes LIST       of messages or outputs, such as 3,64,1KiB,1MiB; default: 3,64,1KiB,3268,64KiB,1MiB
//   --ways LIST        of hash, update, squeeze; default: those that the kernels have
//   --parameters HEX   what init() reads, from its first byte on; default: zeros
//   --rounds N         default: 150
//   --browser NAME     chromium, firefox or webkit
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { parseSize } from "./cases/cases.mjs";
import { compareKernels } from "./timing/kernel-rounds.mjs";
import { describeProcessor, processorLine } from "./timing/processor.mjs";

const text = { type: "string" };
const { values, positionals } = parseArgs({
  options: {
    sizes: { ...text, default: "3,64,1KiB,3268,64KiB,1MiB" },
    ways: text,
    parameters: { ...text, default: "" },
    rounds: { ...text, default: "150" },
    browser: text,
  },
  allowPositionals: true,
});
if (positionals.length < 2) {
  console.error(
    "usage: node bench/kernel.mjs A.wasm B.wasm [C.wasm ...] [OPTION ...]: the file's head lists the options",
  );
  process.exit(2);
}

/** Each file, and the latency of vector operations that its shapes are for. */
const builds = positionals.map((name) => {
  const [, file, latency] = /^(.*?)(?:@([12]))?$/.exec(name);
  return { file, latency: Number(latency ?? 2) };
});

const comparison = {
  sizes: values.sizes.split(",").map(parseSize),
  ways: values.ways?.split(","),
  parameters: [...Buffer.from(values.parameters, "hex")],
  rounds: Number(values.rounds),
  // The clocks of browsers are coarse.
  ...(values.browser && { milliseconds: 4 }),
};

const PAGE = `
import { compareKernels } from "./timing/kernel-rounds.mjs";
const { builds, comparison } = await (await fetch("/request.json")).json();
const read = async ({ file, latency }) => ({ bytes: new Uint8Array(await (await fetch(file)).arrayBuffer()), latency });
try {
  const rows = compareKernels(await Promise.all(builds.map(read)), comparison);
  await fetch("/report", { method: "POST", body: JSON.stringify({ rows }) });
} catch (error) {
  await fetch("/report", { method: "POST", body: JSON.stringify({ error: String(error) }) });
}
`;

/** The same in a page, which cross-origin isolation gives the finer clock. */
async function compareInBrowser(name) {
  const { browserOf } = await import("./survey/runtimes.mjs");
  const { ISOLATED } = await import("../test/runtimes/hosts/browsers.mjs");
  const { openPage } = await import("../test/runtimes/hosts/page.mjs");
  const served = builds.map(({ file }, i) => [`/${i}.wasm`, readFileSync(file)]);
  const scripts = ["timing/kernel-rounds.mjs", "timing/rounds.mjs"].map((file) => [
    `/${file}`,
    readFileSync(join(import.meta.dirname, file)),
  ]);
  const folder = mkdtempSync(join(tmpdir(), "blake-simd-bench-"));
  try {
    const { rows, error } = await openPage(browserOf(name).browser, {
      files: {
        "/index.html": '<!doctype html><script type="module" src="/page.mjs"></script>',
        "/page.mjs": PAGE,
        "/request.json": JSON.stringify({
          builds: builds.map((build, i) => ({ ...build, file: `/${i}.wasm` })),
          comparison,
        }),
        ...Object.fromEntries([...served, ...scripts]),
      },
      headers: ISOLATED,
      folder,
      milliseconds: 10 * 60_000,
    });
    if (error) throw new Error(error);
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** MB/s of messages that take long enough for it to mean something, else ns. */
const speed = (nanoseconds, size) =>
  size > 1024 ? `${((size / nanoseconds) * 1000).toFixed(0)} MB/s` : `${nanoseconds.toFixed(0)} ns`;

const rows = values.browser
  ? await compareInBrowser(values.browser)
  : compareKernels(
      builds.map(({ file, latency }) => ({ bytes: readFileSync(file), latency })),
      comparison,
    );

console.error(processorLine(describeProcessor()));
const letters = positionals.map((_, i) => String.fromCharCode(65 + i));
const headings = ["A", ...letters.slice(1).flatMap((letter) => [letter, `${letter} over A`])];
console.log(["export ", "bytes".padStart(9), ...headings.map((heading) => heading.padStart(11))].join(" "));
for (const { way, size, best } of rows) {
  const [first, ...others] = best;
  const columns = others.flatMap((time) => [speed(time, size), (first / time).toFixed(3)]);
  const cells = [speed(first, size), ...columns].map((cell) => cell.padStart(11));
  console.log([way.padEnd(7), String(size).padStart(9), ...cells].join(" "));
}
