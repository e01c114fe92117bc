// Identifies the processor by what the system reports, and measures its vector latency.
import { existsSync, readFileSync } from "node:fs";
import os from "node:os";
import process from "node:process";

/** How often the chains are timed, the additions in each turn of their loop, and the turns. */
const rounds = 200;
const additions = 256;
const turns = 64;

const [i32, v128] = [0x7f, 0x7b];
const splat = [0xfd, 0x11];
const extractLane = [0xfd, 0x1b, 0x00];
const addVectors = [0xfd, 0xae, 0x01];
const addScalars = [0x6a];

const varint = (number) => (number < 128 ? [number] : [(number & 127) | 128, ...varint(number >> 7)]);
const counted = (bytes) => [...varint(bytes.length), ...bytes];
const vector = (items) => [...varint(items.length), ...items.flat()];

/** A function of a count: so many turns of additions, each of which waits for the one before. */
function chain(type, make, add, read) {
  const sum = Array.from({ length: additions }, () => [0x20, 1, ...add]).flat();
  const code = [
    [0x20, 0, ...make, 0x21, 1], // addend = count
    [0x03, 0x40, 0x20, 2, ...sum, 0x21, 2], // loop: sum = sum + addend + addend ...
    [0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b], // until --count is 0
    [0x20, 2, ...read, 0x0b],
  ];
  return counted([...vector([[2, type]]), ...code.flat()]);
}

function makeChains() {
  const module = [
    [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    [1, ...counted(vector([[0x60, 1, i32, 1, i32]]))],
    [3, ...counted(vector([[0], [0]]))],
    [
      7,
      ...counted(
        vector([
          [1, 0x73, 0, 0],
          [1, 0x76, 0, 1],
        ]),
      ),
    ],
    [10, ...counted(vector([chain(i32, [], addScalars, []), chain(v128, splat, addVectors, extractLane)]))],
  ];
  const { s, v } = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(module.flat()))).exports;
  return [s, v];
}

/** How many times the latency of a scalar addition, which is one cycle, a vector addition has: about 1 or 2. */
export function vectorLatency() {
  const chains = makeChains();
  const best = [Infinity, Infinity];
  for (let round = 0; round < rounds; round++) {
    for (const [i, call] of chains.entries()) {
      const start = performance.now();
      call(turns);
      best[i] = Math.min(best[i], performance.now() - start);
    }
  }
  return best[1] / best[0];
}

/** Arm's parts, which Linux gives no name. */
const parts = { "0xd05": "Cortex-A55", "0xd0c": "Neoverse N1", "0xd40": "Neoverse V1", "0xd4f": "Neoverse V2" };

/** AMD's generations by family and model: in virtual machines, the processor's own name does not tell. */
function zen(family, model) {
  if (family === 26) return "AMD Zen 5";
  if (family === 25) return (model >= 0x10 && model < 0x20) || model >= 0x60 ? "AMD Zen 4" : "AMD Zen 3";
  return undefined;
}

/** Intel's servers, as models of family 6. */
const xeons = { 85: "Skylake", 106: "Ice Lake", 143: "Sapphire Rapids", 173: "Granite Rapids", 207: "Emerald Rapids" };

/** The name of a vendor's generation, undefined if it has none here. */
function generation(vendor, family, model) {
  if (vendor === "AMD") return zen(family, model);
  return family === 6 && model in xeons ? `Intel ${xeons[model]}` : undefined;
}

/**
 * A processor by what the system calls it, and by /proc/cpuinfo, or Windows' PROCESSOR_IDENTIFIER.
 * @returns { processor, family, model }: the name that results are kept by; the numbers only on x86
 */
export function identify(cpu, report) {
  const numbers = /cpu family\s*: (\d+)\nmodel\s*: (\d+)/.exec(report) ?? /Family (\d+) Model (\d+)/.exec(report);
  const [, vendor] = /(?:Authentic|Genuine)(AMD|Intel)/.exec(report) ?? [];
  if (!numbers || !vendor) return { processor: parts[/^CPU part\s*: (\w+)/m.exec(report)?.[1]] ?? cpu };
  const [family, model] = numbers.slice(1).map(Number);
  const processor = generation(vendor, family, model) ?? `${vendor} family ${family} model ${model}`;
  return { processor, family, model };
}

function systemReport() {
  if (process.platform === "win32") return process.env.PROCESSOR_IDENTIFIER ?? "";
  return existsSync("/proc/cpuinfo") ? readFileSync("/proc/cpuinfo", "utf8") : "";
}

/** This processor: { cpu, processor, family, model, vectorLatency }. */
export function describeProcessor() {
  const cpu = os.cpus()[0].model.trim();
  return { cpu, ...identify(cpu, systemReport()), vectorLatency: vectorLatency() };
}

/** The names under which a processor is sold. */
const productNames = {
  "AMD Zen 3": "Ryzen 5000, EPYC Milan",
  "AMD Zen 4": "Ryzen 7000, EPYC Genoa",
  "AMD Zen 5": "Ryzen 9000, EPYC Turin",
  "Intel Sapphire Rapids": "Xeon of the fourth generation",
  "Intel Emerald Rapids": "Xeon of the fifth generation",
  "Intel Granite Rapids": "Xeon 6",
};

/** A processor's name, with those under which it is sold. */
export const displayName = ({ cpu, processor = cpu }) =>
  processor in productNames ? `${processor} (${productNames[processor]})` : processor;

/** The folder of bench/results that a processor has. */
export const folderOf = ({ processor }) => processor.toLowerCase().replace(/[^a-z0-9]+/g, "-");

/** A line about a processor; results from before November 2026 have only the name. */
export function processorLine({ cpu, processor = cpu, family, model, vectorLatency: cycles }) {
  const calls = processor.startsWith(cpu) ? [] : [`calls itself ${cpu}`];
  const numbers = family === undefined ? [] : [`family ${family}, model ${model}`];
  const measured =
    cycles === undefined ? [] : [`a vector addition takes ${cycles.toFixed(1)} times as long as a scalar one`];
  const rest = [...calls, ...numbers, ...measured].join("; ");
  return rest ? `${processor} (${rest})` : processor;
}
