// The name is the digest of what webpack hashes.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import webpack from "webpack";
import { digestOf } from "../digest.mjs";
import recipe from "../webpack.config.mjs";

class Noble {
  parts = [];
  update(data, encoding) {
    this.parts.push(Buffer.from(data, encoding));
    return this;
  }
  digest(encoding) {
    return Buffer.from(digestOf(Buffer.concat(this.parts), 16), "hex").toString(encoding);
  }
}

async function names(hashFunction, text) {
  writeFileSync("entry.mjs", `console.log(${JSON.stringify(text)});`);
  const output = { ...recipe.output, hashFunction, path: `${process.cwd()}/webpack` };
  const configuration = { ...recipe, output, mode: "production", entry: "./entry.mjs" };
  const stats = await new Promise((resolve, reject) =>
    webpack(configuration, (error, stats) => (error ? reject(error) : resolve(stats))),
  );
  return stats.toJson().assets.map(({ name }) => name);
}

const first = await names(recipe.output.hashFunction, "first");
assert.match(first[0], /^main\.[0-9a-f]{20,32}\.js$/);
assert.deepEqual(first, await names(Noble, "first"));
assert.notDeepEqual(first, await names(recipe.output.hashFunction, "second"));
