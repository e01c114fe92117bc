// In a page: posts the digests, or the message of the error that came in their place.
import { digests } from "./hello.mjs";

function report() {
  try {
    return digests();
  } catch (error) {
    return { error: error.message };
  }
}

await fetch("/report", { method: "POST", body: JSON.stringify(report()) });
