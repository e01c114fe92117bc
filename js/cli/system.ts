const clock = new Int32Array(new SharedArrayBuffer(4));

/** Repeats a call on a descriptor that another process has made non-blocking, until it succeeds. */
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
