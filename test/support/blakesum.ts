// The built command, dist/cli/blakesum.cjs, in its own folder of files, and what it is compared with.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { blake2b, blake2s } from "@noble/hashes/blake2.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { afterAll, beforeAll, expect, it } from "vitest";

export const bin = fileURLToPath(new URL("../../dist/cli/blakesum.cjs", import.meta.url));
const HOST = fileURLToPath(new URL("blakesum-host.cjs", import.meta.url));
export const directory = mkdtempSync(join(tmpdir(), "blakesum-"));

export const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
export const bytesOf = (length: number) => new Uint8Array(length).map((_, i) => i % 251);
export const path = (name: string) => join(directory, name);
export const write = (name: string, content: string | Uint8Array) => writeFileSync(path(name), content);

export const abc = Buffer.from("abc");
export const large = bytesOf(1_000_003);
export const abcBlake3 = hex(blake3(abc));
export const abcBlake2b = hex(blake2b(abc));
export const abcBlake2s = hex(blake2s(abc));

/** Names of files that are escaped in lines, and how. */
export const escapes = { "back\\slash": "back\\\\slash", "new\nline": "new\\nline", "return\r": "return\\r" };

interface Result {
  status: number | null;
  stdout: string;
  stderr: string;
}

interface Answer {
  readonly number: number;
  readonly status: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

/** What differs from a usual start of the command. */
export interface System {
  /** CommonJS code that runs before the command. */
  readonly before?: string;
  readonly env?: Record<string, string>;
  readonly input?: string | Uint8Array;
  /** Files that descriptors 0 to 2 lead to, and how they are opened. */
  readonly files?: Readonly<Record<number, readonly [name: string, flags: string]>>;
}

/** What Node makes of a descriptor that is closed. */
export const CLOSED = ["/dev/null", "r+"] as const;

let host: ChildProcess | undefined;
let calls = 0;

/** Runs the command in the directory of the files, in a process that runs others, too: blakesum-host.cjs. */
export async function on(
  { before = "", env = {}, input = "", files = {} }: System,
  args: readonly string[],
): Promise<Result> {
  host ??= fork(HOST, [bin], { cwd: directory, execArgv: [], serialization: "advanced", silent: true });
  const [child, number] = [host.setMaxListeners(0), calls++];
  const answer = new Promise<Answer>((resolve, reject) => {
    const take = (message: Answer) => {
      if (message.number !== number) return;
      child.off("message", take).off("exit", reject);
      resolve(message);
    };
    child.on("message", take).on("exit", reject);
  });
  child.send({ number, args, input: Buffer.from(input as string), before, env, files });
  const { status, stdout, stderr } = await answer;
  return { status, stdout: Buffer.from(stdout).toString("latin1"), stderr: Buffer.from(stderr).toString() };
}

/** Arguments, in text with blanks between them if none is in one. */
export type Args = string | readonly string[];
const listOf = (args: Args) => (typeof args === "string" ? args.split(" ") : args);

/** Runs the command as it is; whatever it does, it prints no stack trace. */
export async function blakesum(args: Args, input: string | Uint8Array = ""): Promise<Result> {
  const result = await on({ input }, listOf(args));
  expect(result.stderr).not.toMatch(/^\s+at /m);
  return result;
}

/** A run: its arguments, all that it prints, standard input, and its exit status. */
export type Run = readonly [args: Args, printed: string, input?: string | Uint8Array, status?: number];

const marked = (stderr: string) => stderr.replace(/^(?:blakesum: |(?=.))/gm, "! ");

/** What a run prints is text; "! " begins a line of standard error, and then or after FAILED the exit status is 1. */
export async function run([args, printed, input = "", status]: Run, system: System = {}): Promise<void> {
  const result = await on({ input, ...system }, listOf(args));
  expectPrinted({ ...result, stdout: Buffer.from(result.stdout, "latin1").toString() }, printed, status);
}

export function expectPrinted(result: Result, printed: string, status = /^! |FAILED/m.test(printed) ? 1 : 0): void {
  const ended = /(?:^|[\n\0])$/.test(printed) ? printed : `${printed}\n`;
  expect({ printed: result.stdout + marked(result.stderr), status: result.status }).toEqual({ printed: ended, status });
}

/** A test for each run. */
export function runs(rows: readonly Run[], system?: System): void {
  it.each(rows.map((row) => [row[0], row] as const))("%j", (_, row) => run(row, system));
}

export const good = (stdout: string): Result => ({ status: 0, stdout, stderr: "" });

/** One line that names the trouble, one that says how to call. */
export async function expectMisuse(args: Args, message: RegExp, input: string | Uint8Array = ""): Promise<void> {
  const { status, stdout, stderr } = await blakesum(args, input);
  const [first, second, ...rest] = stderr.split("\n");
  expect(first).toMatch(/^blakesum: /);
  expect(first).toMatch(message);
  expect(second).toBe(`Try 'blakesum${listOf(args)[0] === "bao" ? " bao" : ""} --help' for more information.`);
  expect({ status, stdout, rest }).toEqual({ status: 2, stdout: "", rest: [""] });
}

beforeAll(() => {
  write("abc", abc);
  write("empty", "");
  write("large", large);
  write("-dash", "dash");
  for (const name of Object.keys(escapes)) write(name, abc);
  mkdirSync(path("folder"));
});

afterAll(async () => {
  if (host?.kill()) await once(host, "exit");
  rmSync(directory, { recursive: true });
});

let count = 0;

/** Writes a CommonJS module; returns its path. */
export function moduleOf(code: string): string {
  const name = `before-${count++}.cjs`;
  write(name, code);
  return path(name);
}

/**
 * Code for before the command, in which a function of node:fs is another; in its body, `real` is the one that was
 * there.
 */
export const patched = (name: string, body: string) => `{
  const fs = require("node:fs");
  const real = fs.${name};
  fs.${name} = (...args) => { ${body} };
}`;
