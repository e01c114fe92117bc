import { writeFileSync } from "node:fs";
import { digests } from "./hello.mjs";

test("digests", () => {
  writeFileSync("digests.json", JSON.stringify(digests()));
});
