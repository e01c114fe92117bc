// Writes test/vectors/bao-counting.json: digests of what bao and bao-tree make of counting bytes.
//
//   node test/vectors/generate/bao.mjs     needs cargo
import { writeFileSync } from "node:fs";
import { blake3 } from "@noble/hashes/blake3.js";
import { Oracle } from "../../oracles/program.mjs";

const oracle = new Oracle();
const digest = (bytes) => Buffer.from(blake3(bytes)).toString("hex");
const ask = async (...request) => (await oracle.ask(...request)).bytes;

const cases = [];
for (const input of [0, 1, 1025, 16_385, 70_000]) {
  const [start, end] = [Math.floor(input / 3), Math.floor(input / 2)];
  const header = Buffer.alloc(8);
  header.writeBigUInt64LE(BigInt(input));
  const chunks = `${Math.floor(start / 1024)}-${Math.max(Math.floor(start / 1024) + 1, Math.ceil(end / 1024))}`;
  cases.push({
    input,
    root: digest(new Uint8Array(input).map((_, i) => i % 251)),
    nodes: digest(await ask("outboard", { input })),
    encoding: digest(await ask("encode", { input })),
    slice: digest(await ask("slice", { input, start, count: end - start })),
    response: digest(Buffer.concat([header, await ask("response", { input, level: 4, ranges: chunks })])),
  });
}
oracle.end();
const text = cases.map((each) => JSON.stringify(each)).join(",\n");
writeFileSync(new URL("../bao-counting.json", import.meta.url), `{ "cases": [\n${text}\n] }\n`);
