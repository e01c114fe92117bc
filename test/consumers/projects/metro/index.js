import { digests } from "./hello.mjs";

// Hermes has no console.
print(JSON.stringify(digests()));
