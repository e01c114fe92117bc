// The errors of the command.
import { constants } from "node:os";
import { getSystemErrorMap } from "node:util";
import { IntegrityError } from "../../bao.js";
import { fromText } from "./byte-strings.js";
import { codeOf } from "./descriptors.js";

/** A command line that asks for something impossible; the message is a byte string. */
export class UsageError extends Error {}

/** Standard output cannot be written; `cause` is the system's error. */
export class OutputError extends Error {}

/** Not a system error number: the file changed while it was being read. */
export const CHANGED = -100_000;

/** The system's number for a descriptor that is not open. */
export const CLOSED = -constants.errno.EBADF;

/** An error that its number alone describes, so that threads can share it. */
export class FileError extends Error {
  /** The system's number, negative as in libuv, or CHANGED. */
  readonly errno: number;

  constructor(errno: number) {
    super();
    this.errno = errno;
  }

  get code(): string | undefined {
    return getSystemErrorMap().get(this.errno)?.[0];
  }
}

/** Returns an error of the work on one file, after which the next has its turn; rethrows those that end the command. */
export function failureOf(error: unknown): Error {
  if (error instanceof UsageError || error instanceof OutputError) throw error;
  return "message" in Object(error) ? (error as Error) : new Error(String(error));
}

/** The reason only, without the system call and path that Node adds. */
export function reasonOf(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  // In the words of the bao program.
  if (error instanceof IntegrityError && (error.reason === "bytes" || error.reason === "node"))
    return `hash mismatch at byte ${error.offset} of the content${/, or its groups .*/.exec(message) ?? ""}`;
  if (errno === CHANGED) return "has changed while it was read";
  if (errno === CLOSED) return "is closed";
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
export function named(file: string, error: unknown): FileFailure {
  return error instanceof FileFailure ? error : new FileFailure(file, failureOf(error));
}

/** Runs `work`, whose errors get a file's name. */
export function naming<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw named(file, error);
  }
}
