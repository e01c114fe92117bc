// Audits pages of the site with Lighthouse, on its simulated phone: every score must be 95 or more, but for
// performance, which depends on the machine and is only printed.
//
//   node site/audit.mjs     needs npm run site, and Chromium from Debian
import lighthouse from "lighthouse";
import { launchChromium } from "./browsers.mjs";
import { serveSite } from "./server.mjs";

const PAGES = ["index.html", "playground.html", "benchmark.html", "docs/hashing.html"];
const LEAST = 95;

const { url, stop } = await serveSite();
const browser = await launchChromium();
const { port } = new URL(browser.wsEndpoint());
for (const page of PAGES) {
  const result = await lighthouse(`${url}/${page}`, { port: Number(port), logLevel: "error" });
  const { categories, audits } = result.lhr;
  const scores = Object.values(categories).map(({ id, score }) => [id, Math.round(score * 100)]);
  console.log(`${page}: ${scores.map(([id, score]) => `${id} ${score}`).join(", ")}`);
  for (const [id, score] of scores) {
    if (score >= LEAST || id === "performance") continue;
    process.exitCode = 1;
    const failed = categories[id].auditRefs.filter(({ id: audit, weight }) => weight > 0 && audits[audit].score < 0.9);
    for (const { id: audit } of failed) console.log(`  ${audit}: ${audits[audit].title}`);
  }
}
await browser.close();
stop();
