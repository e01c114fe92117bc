#!/usr/bin/env node
import { byteArguments } from "./byte-strings.js";
import { run } from "./main.js";
import { workerThreads } from "./system.js";
import { serve } from "./worker.js";

// Workers of the pool require this file, and so may a program that wraps the command.
if (require.main === module || workerThreads().isMainThread) {
  run(process.argv[1] ?? "", byteArguments()).then((status) => {
    process.exitCode = status;
  });
} else {
  serve();
}
