#!/usr/bin/env node
import { byteArguments } from "./byte-strings.js";
import { run } from "./command.js";

run(byteArguments()).then((status) => {
  process.exitCode = status;
});
