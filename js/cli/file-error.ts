// File errors, in a form that can be sent between threads.
import { constants } from "node:os";
import { getSystemErrorMap } from "node:util";
import { fromText } from "./byte-strings.js";
import { codeOf } from "./system.js";

/** Not a system error number: the file changed while it was being read. */
export const CHANGED = -100_000;

/** The system's number for a descriptor that is not open. */
export const CLOSED = -constants.errno.EBADF;

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

/** Converts a file system error to a FileError; rethrows any other error. */
export function fileErrorOf(error: unknown): FileError {
  if (error instanceof FileError) return error;
  const { errno } = error as NodeJS.ErrnoException;
  if (typeof errno === "number" && codeOf(error) !== undefined) return new FileError(errno);
  throw error;
}

const CHANGED_REASON = "has changed while it was read";

/** The reason only, without the system call and path that Node adds. */
export function reasonOf(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  if (errno === CHANGED) return CHANGED_REASON;
  if (errno === CLOSED) return "is closed";
  if (codeOf(error) === "EISDIR") return "is a directory";
  return (errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1]) ?? fromText(message);
}

/** Why a folder has no digest, with the path of the file or folder that caused the error. */
export class FolderError extends Error {
  readonly path: string;
  readonly reason: unknown;

  constructor(path: string, reason: unknown) {
    super();
    this.path = path;
    this.reason = reason;
  }
}
