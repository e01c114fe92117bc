// Runs a piece of module code in a separate Node process, from the package's root.
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");

interface Child {
  readonly flags?: readonly string[];
  readonly env?: Record<string, string>;
}

// Of the environment: where the program is, and under `npm run coverage` where to write (undefined counts as not set).
const { PATH, NODE_V8_COVERAGE } = process.env;

/** Returns what the code printed as JSON. */
export function runNode(code: string, { flags = [], env = {} }: Child = {}): unknown {
  const output = execFileSync(process.execPath, [...flags, "--input-type=module", "-"], {
    cwd: ROOT,
    input: code,
    env: { PATH, NODE_V8_COVERAGE, ...env },
    encoding: "utf8",
  });
  return JSON.parse(output);
}
