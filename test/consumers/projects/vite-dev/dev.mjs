// The dev server, and a browser on its page.
import { createServer } from "vite";
import { chromium } from "../../../runtimes/hosts/browsers.mjs";
import { posted, visit } from "../../../runtimes/hosts/page.mjs";

let report;
const reported = new Promise((resolve) => {
  report = resolve;
});
const reports = {
  name: "reports",
  configureServer({ middlewares }) {
    middlewares.use("/report", (request, response) => {
      posted(request).then(report);
      response.end();
    });
  },
};
const server = await createServer({ plugins: [reports], server: { host: "127.0.0.1" }, logLevel: "error" });
await server.listen();
try {
  const [url] = server.resolvedUrls.local;
  console.log(JSON.stringify(await visit(chromium, url, `${import.meta.dirname}/profile`, reported)));
} finally {
  await server.close();
}
