// The command's messages on standard error.
import { FileFailure, reasonOf } from "./errors.js";
import { writeErrorLine } from "./output.js";

export const printError = (message: string): void => writeErrorLine(`blakesum: ${message}`);

/** Reports that a file cannot be read. */
export function printFileError(name: string, error: unknown): void {
  if (error instanceof FileFailure) printFileError(error.file, error.cause);
  else printError(`${name === "-" ? "standard input" : name || "''"}: ${reasonOf(error)}`);
}
