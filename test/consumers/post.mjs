// In a page: posts what comes out.
import { attempt } from "./hello.mjs";

await fetch("/report", { method: "POST", body: JSON.stringify(attempt()) });
