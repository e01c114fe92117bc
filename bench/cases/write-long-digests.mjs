// node bench/cases/write-long-digests.mjs: writes long-digests.mjs, the digests of the longest message of mode "growth"
// by @noble/hashes. They take about a minute, too long for each run.
import { writeFileSync } from "node:fs";
import { longMessage } from "./cases.mjs";
import { digestOf } from "./oracle.mjs";

const message = longMessage();
const names = ["blake256", "blake512", "blake2b", "blake2s", "blake3"];
const digests = names.map((name) => [name, Buffer.from(digestOf(name, message)).toString("hex")]);
const text = `// Written by write-long-digests.mjs.\nexport default ${JSON.stringify(Object.fromEntries(digests))};\n`;
writeFileSync(new URL("long-digests.mjs", import.meta.url), text);
