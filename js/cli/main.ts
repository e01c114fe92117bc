import { b2sum } from "./b2sum.js";
import { b3sum } from "./b3sum.js";
import { bao } from "./bao.js";
import { blake2 } from "./blake2.js";
import { blakesum } from "./blakesum-program.js";
import { reasonOf } from "./file-error.js";
import { UsageError } from "./given.js";
import { flush, isBrokenPipe, OutputError } from "./output.js";
import type { Program } from "./program.js";

const programs: Readonly<Record<string, Program>> = { b2sum, b3sum, blake2 };

/** The program whose name the command was called by, for example through a link, and the program's arguments. */
function programFor(path: string, args: readonly string[]): [Program, readonly string[]] {
  const name = path.replace(/^.*[/\\]/s, "").replace(/\.[a-z]+$/i, "");
  if (Object.hasOwn(programs, name)) return [programs[name] as Program, args];
  return args[0] === "bao" ? [bao, args.slice(1)] : [blakesum, args];
}

/** Runs the command with arguments as byte strings; returns the exit status. */
export async function run(calledAs: string, commandLine: readonly string[]): Promise<number> {
  const [program, args] = programFor(calledAs, commandLine);
  try {
    const good = await program.prepare(args)();
    flush();
    return good ? 0 : 1;
  } catch (error) {
    return explain(program, error);
  }
}

function explain(program: Program, error: unknown): number {
  if (error instanceof UsageError) {
    const status = program.misuse(error);
    return error.status ?? status;
  }
  if (error instanceof OutputError) {
    if (!isBrokenPipe(error)) program.messages.outputError(error.cause);
    return program.outputStatus;
  }
  program.messages.error(reasonOf(error));
  return 1;
}
