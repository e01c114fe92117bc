#!/usr/bin/env node
import { byteArguments } from "./byte-strings.js";
import { run } from "./command.js";

process.exitCode = await run(byteArguments());
