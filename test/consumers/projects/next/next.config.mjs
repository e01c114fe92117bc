import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
export default { outputFileTracingRoot: root, turbopack: { root } };
