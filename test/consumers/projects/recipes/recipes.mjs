// The recipes of docs/recipes.md that need other packages: each is written to the file that it names, and checked.
import { readFileSync, writeFileSync } from "node:fs";

const page = readFileSync(new URL("../../../../docs/recipes.md", import.meta.url), "utf8");
const recipes = [...page.matchAll(/^```js recipe\n(\/\/ ([\w.-]+).*?)^```/gms)];
if (recipes.length < 3) throw new Error(`3 recipes or more expected, got ${recipes.length}`);
for (const [, code, name] of recipes) {
  writeFileSync(name, code);
  await import(`./checks/${name}`);
}
await import("./print.mjs");
