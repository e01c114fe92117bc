// The error messages of each program.
import { asUtf8 } from "./byte-strings.js";
import { cReasonOf, FolderError, reasonOf, rustReasonOf } from "./file-error.js";
import { writeError, writeErrorLine } from "./output.js";
import { shellQuote } from "./shell-quote.js";

export interface Messages {
  /** Prints a message after the program's name. */
  error(message: string): void;
  /** Reports that a file cannot be read. */
  fileError(name: string, error: unknown): void;
  /** Reports that standard output cannot be written. */
  outputError(cause: unknown): void;
}

const say = (program: string, message: string): void => writeErrorLine(`${program}: ${message}`);

export const blakesumMessages: Messages = {
  error: (message) => say("blakesum", message),
  fileError(name, error) {
    if (error instanceof FolderError) this.fileError(error.path, error.reason);
    else say("blakesum", `${name === "-" ? "standard input" : name || "''"}: ${reasonOf(error)}`);
  },
  outputError: (cause) => say("blakesum", `standard output: ${reasonOf(cause)}`),
};

export const gnuMessages: Messages = {
  error: (message) => writeError(`b2sum: ${message}\n`),
  fileError: (name, error) => writeError(`b2sum: ${shellQuote(name)}: ${cReasonOf(error)}\n`),
  outputError: () => writeError("b2sum: write error\n"),
};

export const rustMessages = (program: string): Messages => ({
  error: (message) => writeError(`${program}: ${message}\n`),
  fileError: (name, error) => writeError(`${program}: ${asUtf8(name)}: ${rustReasonOf(error)}\n`),
  outputError: (cause) => writeError(`${program}: failed printing to stdout: ${rustReasonOf(cause)}\n`),
});
