#!/usr/bin/env node
import { byteArguments } from "./byte-strings.js";
import { run } from "./main.js";
import { serve } from "./worker.js";

// A worker of the pool requires this file.
if (require.main === module) {
  run(process.argv[1] ?? "", byteArguments()).then((status) => {
    process.exitCode = status;
  });
} else {
  serve();
}
