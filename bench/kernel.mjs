// Two builds of a kernel, timed at their exports in turns, on whatever runs this: any Node, Deno or Bun.
//
//   node bench/kernel.mjs A.wasm B.wasm [--sizes LIST] [--ways LIST] [--parameters HEX] [--rounds N]
//
//   --sizes LIST       of messages or outputs, such as 3,64,1KiB,1MiB; default: 3,64,1KiB,3268,64KiB,1MiB
//   --ways LIST        of hash, update, squeeze; default: those that the kernels have
//   --parameters HEX   what init() reads, from its first byte on; default: zeros
//   --rounds N         default: 150
import { readFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { parseSize } from "./cases.mjs";
import { compareKernels } from "./kernel-rounds.mjs";

const usage = "usage: node bench/kernel.mjs A.wasm B.wasm [--sizes LIST] [--ways LIST] [--parameters HEX] [--rounds N]";
const text = { type: "string" };
const { values, positionals } = parseArgs({
  options: {
    sizes: { ...text, default: "3,64,1KiB,3268,64KiB,1MiB" },
    ways: text,
    parameters: { ...text, default: "" },
    rounds: { ...text, default: "150" },
  },
  allowPositionals: true,
});
if (positionals.length !== 2) {
  console.error(usage);
  process.exit(2);
}

const rows = compareKernels(...positionals.map((file) => readFileSync(file)), {
  sizes: values.sizes.split(",").map(parseSize),
  ways: values.ways?.split(","),
  parameters: Buffer.from(values.parameters, "hex"),
  rounds: Number(values.rounds),
});

/** MB/s of messages that take long enough for it to mean something, else ns. */
const speed = (nanoseconds, size) =>
  size > 1024 ? `${((size / nanoseconds) * 1000).toFixed(0)} MB/s` : `${nanoseconds.toFixed(0)} ns`;

console.log("export      bytes            A            B   B over A");
for (const { way, size, first, second, ratio } of rows) {
  const columns = [
    way.padEnd(7),
    String(size).padStart(9),
    speed(first, size).padStart(12),
    speed(second, size).padStart(12),
    ratio.toFixed(3).padStart(10),
  ];
  console.log(columns.join(" "));
}
