#!/usr/bin/env node
import { bao } from "./commands/bao.js";
import { serve } from "./digests/worker.js";
import { blakesum } from "./main.js";
import { byteArguments } from "./system/byte-strings.js";
import { workerThreads } from "./system/descriptors.js";
import { FileFailure, OutputError, reasonOf, UsageError } from "./system/errors.js";
import { flush, isBrokenPipe, printError, printFileError, writeErrorLine } from "./system/output.js";

const MISUSE = 2;

/** Runs the command with arguments as byte strings; returns the exit status. */
async function run(args: readonly string[]): Promise<number> {
  const [program, rest] = args[0] === "bao" ? [bao, args.slice(1)] : [blakesum, args];
  try {
    const good = await program.run(rest);
    flush();
    return good ? 0 : 1;
  } catch (error) {
    return explain(error, program.advice);
  }
}

function explain(error: unknown, advice: string): number {
  if (error instanceof UsageError) {
    printError(error.message);
    writeErrorLine(advice);
    return MISUSE;
  }
  if (error instanceof FileFailure) printFileError(error.file, error.cause);
  else if (!(error instanceof OutputError)) printError(reasonOf(error));
  else if (!isBrokenPipe(error)) printError(`standard output: ${reasonOf(error.cause)}`);
  return 1;
}

// Workers require this file, and so may a program that wraps the command.
if (require.main === module || workerThreads().isMainThread) {
  run(byteArguments()).then((status) => {
    process.exitCode = status;
  });
} else {
  serve();
}
