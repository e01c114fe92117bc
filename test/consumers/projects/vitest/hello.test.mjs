import { writeFileSync } from "node:fs";
import { test } from "vitest";
import { digests } from "./hello.mjs";

test("digests", () => {
  writeFileSync("digests.json", JSON.stringify(digests()));
});
