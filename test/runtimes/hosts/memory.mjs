// How much memory a process takes, as Linux counts it: what getrusage says of a child begins with its parent's peak.
import { readFileSync } from "node:fs";

function mebibytes(pid, field) {
  const [, kibibytes] = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(kibibytes) / 1024;
}

/**
 * How many MiB a process had at most above what it has now, once the work is done.
 *
 * @returns that and the work's result
 */
export async function grownBy(pid, work) {
  const before = mebibytes(pid, "VmRSS");
  const result = await work();
  return { result, grown: mebibytes(pid, "VmHWM") - before };
}
