import { digests } from "./hello.mjs";

console.log(JSON.stringify(digests()));
