// RUNTIME bench/survey/child.mjs REQUEST ANSWER: the survey in a process of its own. main.mjs writes the file REQUEST
// and reads ANSWER.
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { survey } from "./survey.mjs";

const [requestFile, answerFile] = process.argv.slice(2);
const request = JSON.parse(await readFile(requestFile, "utf8"));
const answer = await survey(request, (text) => process.stderr.write(`  ${text}\n`));
await writeFile(answerFile, JSON.stringify({ ...answer, runtime: describeRuntime() }));

/** Bun and Deno also fill in process.versions, so they are asked first. */
function describeRuntime() {
  const { bun, deno, node, v8 } = process.versions;
  if (bun) return { name: "Bun", version: bun };
  if (deno) return { name: "Deno", version: deno, v8 };
  return { name: "Node", version: node, v8 };
}
