// What a browser runs: the survey of the request that its server has, posted back.
import { survey } from "./survey.mjs";

async function answer() {
  const request = await (await fetch("/request.json")).json();
  return survey(request, (text) => console.log(text));
}

const report = await answer().catch((error) => ({ error: String(error?.stack ?? error) }));
await fetch("/report", { method: "POST", body: JSON.stringify(report) });
