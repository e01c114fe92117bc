// No number that a stranger wrote sizes an allocation or a loop: each place where one comes in, with numbers that no
// bytes back.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { blakesum, write } from "../support/blakesum.ts";
import { ROOT } from "../support/child.ts";
import { rows } from "../support/untrusted-numbers.mjs";

const MOST_TIME = 50;
const MOST_BYTES = 16 * 2 ** 20;
/** A row that takes longer is stopped. */
const LIMIT = 120_000;

interface Outcome {
  readonly time: number;
  readonly bytes: number;
  readonly result: string;
}

/**
 * Runs rows in a process, and returns the outcomes of those that it has ended: all, unless one ends the process or
 * hangs.
 */
async function runRows(indices: readonly number[]): Promise<Outcome[]> {
  const program = `${ROOT}/test/support/untrusted-numbers.mjs`;
  const child = spawn(process.execPath, ["--expose-gc", program, ...indices.map(String)], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "close");
  const outcomes: Outcome[] = [];
  let timer = setTimeout(() => child.kill("SIGKILL"), LIMIT);
  for await (const line of createInterface({ input: child.stdout })) {
    clearTimeout(timer);
    timer = setTimeout(() => child.kill("SIGKILL"), LIMIT);
    const outcome = JSON.parse(line);
    if ("result" in outcome) outcomes.push(outcome);
  }
  clearTimeout(timer);
  await ended;
  return outcomes;
}

/** The outcomes of all rows; undefined for one that ended its process or was stopped. */
async function runAll(): Promise<(Outcome | undefined)[]> {
  const outcomes: (Outcome | undefined)[] = [];
  while (outcomes.length < rows.length) {
    const left = rows.map((_, i) => i).slice(outcomes.length);
    const some = await runRows(left);
    outcomes.push(...some);
    if (some.length < left.length) outcomes.push(undefined);
  }
  return outcomes;
}

describe("a number that a stranger wrote", () => {
  const outcomes = runAll();

  it.each(rows.map((row, index) => ({ ...row, index })))("$name: $number", async (row) => {
    const outcome = (await outcomes)[row.index];
    if (!outcome) expect.fail(`ended the process, or took more than ${LIMIT} ms`);
    expect(outcome.result).toMatch(new RegExp(row.right));
    expect(outcome.time, "milliseconds").toBeLessThan(MOST_TIME);
    expect(outcome.bytes, "bytes of the heap and of arrays").toBeLessThan(MOST_BYTES);
  });
});

describe.each([10n ** 12n, 2n ** 53n - 1n, 2n ** 64n - 1n])("the command, given %d", (number) => {
  const hash = "0".repeat(64);
  const header = () => write("claim", new Uint8Array(new BigUint64Array([number]).buffer));
  const list = (text: string) => write("list", text);

  it.each<[args: string[], prepare: () => void, message: RegExp]>([
    [
      ["bao", "slice", "999000", "10", "claim"],
      header,
      /claim: slice: (input ended early|the header must hold .*below 2\^53)/,
    ],
    [["bao", "decode", hash, "claim"], header, /input ended early|length, below 2\^53/],
    [
      ["bao", "decode", hash, "claim", "--start=5"],
      header,
      /slice: (input ended early|the header must hold .*below 2\^53)/,
    ],
    [["bao", "decode", hash, "claim", "--outboard=claim"], header, /input ended early|length, below 2\^53/],
    [["bao", "decode-slice", hash, "5", "5", "claim"], header, /input ended early|length, below 2\^53/],
    [["--merge=5000", "1024", "list"], () => list(`${number}+1024 ${hash}\n`), /line 1: (must be|offset|the part)/],
    [["--merge=5000", "1024", "list"], () => list(`0+${number} ${hash}\n`), /line 1: (must be|the part at 0 has 1024)/],
    [["--check", "list"], () => list(`BLAKE2b-${number} (claim) = ${hash}\n`), /no .*checksum|format/],
    [["--check", "list"], () => list(`BLAKE3-${number} (claim) = ${hash}\n`), /no .*checksum|format/],
  ])("%j", async (args, prepare, message) => {
    prepare();
    const { status, stderr } = await blakesum(args);
    expect(status).toBe(1);
    expect(stderr).toMatch(message);
  });
});
