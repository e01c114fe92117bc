// In workerd: the body in a request handler, and a hash at global scope.
import { runBody } from "./body.mjs";
import * as entries from "./entries.mjs";

const atGlobalScope = entries.main.blake3.hex("hello");

export default {
  async fetch() {
    const report = await runBody(entries);
    report.checks["global scope"] = atGlobalScope.startsWith("ea8f163d") ? "ok" : atGlobalScope;
    return Response.json(report);
  },
};
