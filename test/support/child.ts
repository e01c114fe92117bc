// Runs a piece of module code in a separate Node process, from the package's root.
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");

/** Milliseconds after which a process has hung, on a machine however slow. */
const HUNG = 300_000;

interface Child {
  readonly flags?: readonly string[];
  readonly env?: Record<string, string>;
}

// Of the environment: where the program is.
const { PATH } = process.env;

/** Returns what the code printed as JSON. */
export function runNode(code: string, { flags = [], env = {} }: Child = {}): unknown {
  const output = execFileSync(process.execPath, [...flags, "--input-type=module", "-"], {
    cwd: ROOT,
    input: code,
    env: { PATH, ...env },
    encoding: "utf8",
    timeout: HUNG,
  });
  return JSON.parse(output);
}
