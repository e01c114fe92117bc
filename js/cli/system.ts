import { getSystemErrorMap } from "node:util";
import { fromText } from "./byte-strings.js";

const clock = new Int32Array(new SharedArrayBuffer(4));

/** Repeats a call on a descriptor that another process has made non-blocking, until it can be served. */
export function whenReady<T>(call: () => T): T {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error;
      Atomics.wait(clock, 0, 0, 2);
    }
  }
}

export const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** The reason alone, without the system call and path that Node adds. */
export function reasonOf(error: unknown): string {
  const { code, errno, message } = error as NodeJS.ErrnoException;
  if (code === "EISDIR") return "is a directory";
  const system = errno === undefined ? undefined : getSystemErrorMap().get(errno);
  return system?.[1] ?? fromText(message);
}
