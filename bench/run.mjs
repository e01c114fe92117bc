// npm run bench: see --help, and README.md in this folder.
import { help, readOptions } from "./survey/options.mjs";
import { installRivals, run, say } from "./survey/prepare.mjs";

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(help);
  } else {
    installRivals();
    const { main } = await import("./survey/main.mjs");
    await main(options);
    if (options.readme) run(process.execPath, ["bench/report.mjs"]);
  }
} catch (error) {
  say(`bench: ${error.message}`);
  process.exitCode = error.code?.startsWith?.("ERR_PARSE_ARGS") || error instanceof RangeError ? 2 : 1;
}
