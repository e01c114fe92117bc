// In Node, Deno and Bun: prints the report. `process.mjs brief` runs the brief form.
import process from "node:process";
import { runBody } from "./body.mjs";
import * as entries from "./entries.mjs";
import { checkMemory } from "./memory.mjs";
import { checkNodeStreams } from "./node-streams.mjs";

const modules = { ...entries, checkNodeStreams, checkMemory };
console.log(JSON.stringify(await runBody(modules, process.argv[2] === "brief")));
