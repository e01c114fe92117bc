// The errors of the command.
import { getSystemErrorMap } from "node:util";
import { IntegrityError } from "../../bao.js";
import { fromText } from "./byte-strings.js";

/** A command line that asks for something impossible; the message is a byte string. */
export class UsageError extends Error {}

/** Standard output cannot be written; `cause` is the system's error. */
export class OutputError extends Error {}

/** Whether nothing can be hashed here, since no kernel can be compiled. */
const lacksWebAssembly = (error: unknown): boolean => /^blake-simd: WebAssembly is /.test((error as Error).message);

export const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Rethrows an error that ends the command; returns for that of one file. */
export function rethrowFatal(error: unknown): void {
  if (error instanceof UsageError || error instanceof OutputError || lacksWebAssembly(error)) throw error;
}

/** The reason only, without the system call and path that Node adds. */
export function reasonOf(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  // In the words of the bao program.
  if (error instanceof IntegrityError && (error.reason === "bytes" || error.reason === "node"))
    return `hash mismatch at byte ${error.offset} of the content${/, or its groups .*/.exec(message) ?? ""}`;
  if (lacksWebAssembly(error)) {
    return message.includes("out of memory")
      ? "out of memory: WebAssembly reserves 10 GB of addresses for each algorithm; raise the limit of ulimit -v"
      : "WebAssembly is missing or forbidden, as in node --jitless";
  }
  if (codeOf(error) === "EISDIR") return "is a directory";
  return (errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1]) ?? fromText(message);
}

/** An error with the name of the file or folder that it concerns. */
export class FileFailure extends Error {
  readonly file: string;

  constructor(file: string, cause: unknown) {
    super(undefined, { cause });
    this.file = file;
  }
}

/** Returns an error with its file's name, unless it has one; rethrows those that end the command. */
export function failureOf(file: string, error: unknown): FileFailure {
  rethrowFatal(error);
  return error instanceof FileFailure ? error : new FileFailure(file, error);
}

/** Runs `work`, whose errors get a file's name. */
export function runFor<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw failureOf(file, error);
  }
}
