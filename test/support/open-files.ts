import { existsSync, readdirSync, readlinkSync } from "node:fs";

/** The targets of the process's descriptors, if the system lists them. */
export function openFiles(): string[] {
  const list = "/proc/self/fd";
  const descriptors = existsSync(list) ? readdirSync(list) : [];
  return descriptors.flatMap((descriptor) => {
    try {
      return readlinkSync(`${list}/${descriptor}`);
    } catch {
      // Another thread has closed it.
      return [];
    }
  });
}
