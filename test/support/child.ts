// Runs a piece of module code in a separate Node process, from the package's root.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";

export const ROOT = resolve(import.meta.dirname, "../..");

/** Milliseconds after which a process has hung, on a machine however slow. */
const HUNG = 300_000;

interface Child {
  readonly flags?: readonly string[];
  readonly env?: Record<string, string>;
}

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
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

/** Runs code whose output and errors matter; returns how it ended. */
export async function startNode(code: string, { flags = [], env = {} }: Child = {}): Promise<Ended> {
  const child = spawn(process.execPath, [...flags, "--input-type=module", "-"], {
    cwd: ROOT,
    env: { PATH, ...env },
    timeout: HUNG,
  });
  child.stdin.end(code);
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { status, stdout, stderr };
}
