// File errors, in a form that can be sent between threads and that each program formats in its own way.
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

/** The C library's messages that differ from libuv's in more than a capital letter. */
const C_REASONS: Readonly<Record<string, string>> = {
  EBADF: "Bad file descriptor",
  EIO: "Input/output error",
  EISDIR: "Is a directory",
  ELOOP: "Too many levels of symbolic links",
  ENAMETOOLONG: "File name too long",
  ENFILE: "Too many open files in system",
  ENOMEM: "Cannot allocate memory",
  ENOTDIR: "Not a directory",
  ENXIO: "No such device or address",
  EOVERFLOW: "Value too large for defined data type",
  EPERM: "Operation not permitted",
  EFBIG: "File too large",
};

/** The reason as C programs print it. */
export function cReasonOf(error: unknown): string {
  const known = C_REASONS[codeOf(error) ?? ""];
  if (known) return known;
  const reason = reasonOf(error);
  return reason.charAt(0).toUpperCase() + reason.slice(1);
}

/** The reason as Rust programs print it. */
export function rustReasonOf(error: unknown): string {
  const { errno } = error as NodeJS.ErrnoException;
  return errno === undefined || errno === CHANGED ? cReasonOf(error) : `${cReasonOf(error)} (os error ${-errno})`;
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
