// In a browser: posts the report.
import { runBody } from "./body.mjs";
import * as entries from "./entries.mjs";

const report = await runBody(entries).catch((error) => ({ checks: { body: String(error) } }));
report.isolated = globalThis.crossOriginIsolated;
await fetch("/report", { method: "POST", body: JSON.stringify(report) });
