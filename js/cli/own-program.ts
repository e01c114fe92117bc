// What blakesum and `blakesum bao` have in common.
import { blakesumMessages as messages } from "./messages.js";
import { writeErrorLine } from "./output.js";
import type { Program } from "./program.js";

const MISUSE = 2;

/** A program that prints after an error of its command line how to call it, on one line. */
export function ownProgram(usage: string, prepare: Program["prepare"]): Program {
  return {
    messages,
    outputStatus: 1,
    prepare,
    misuse(error) {
      messages.error(error.message);
      writeErrorLine(usage);
      return MISUSE;
    },
  };
}
