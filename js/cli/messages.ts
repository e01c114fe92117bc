// The command's messages on standard error.
import { FolderError, reasonOf } from "./file-error.js";
import { writeErrorLine } from "./output.js";

export const printError = (message: string): void => writeErrorLine(`blakesum: ${message}`);

/** Reports that a file cannot be read. */
export function printFileError(name: string, error: unknown): void {
  if (error instanceof FolderError) printFileError(error.path, error.reason);
  else printError(`${name === "-" ? "standard input" : name || "''"}: ${reasonOf(error)}`);
}
