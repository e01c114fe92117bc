#!/usr/bin/env node
import { isMainThread } from "node:worker_threads";
import { byteArguments } from "./byte-strings.js";
import { run } from "./main.js";
import { serve } from "./worker.js";

if (isMainThread) {
  run(process.argv[1] ?? "", byteArguments()).then((status) => {
    process.exitCode = status;
  });
} else {
  serve();
}
