// Writes the test vectors from independent implementations, or checks that they are as they would be.
//
//   node test/vectors/generate/generate.mjs            writes test/vectors/*.json
//   node test/vectors/generate/generate.mjs --check    compares instead, exit 1 if a file differs
import { readFileSync, writeFileSync } from "node:fs";
import * as blake1 from "./blake1.mjs";
import * as blake2 from "./blake2.mjs";
import * as blake3 from "./blake3.mjs";
import { render } from "./documents.mjs";
import { end } from "./sources.mjs";

const isCheck = process.argv.includes("--check");

for (const make of [blake1, blake2, blake3].flatMap(({ makers }) => makers)) {
  const document = await make();
  const [name, text] = [`${document.algorithm}.json`, render(document)];
  const file = new URL(`../${name}`, import.meta.url);
  const isSame = readFileSync(file, "utf8") === text;
  if (!isCheck) writeFileSync(file, text);
  else if (!isSame) process.exitCode = 1;
  console.log(`${name}: ${isSame ? "as it was" : isCheck ? "DIFFERS" : "written"}`);
}
end();
