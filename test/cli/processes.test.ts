// The command in processes of its own: by shells, with pipes, devices, descriptors and signals.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, truncateSync } from "node:fs";
import { blake2s } from "@noble/hashes/blake2.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { beforeAll, describe, expect, it } from "vitest";
import {
  abc,
  abcBlake2b,
  abcBlake3,
  bin,
  directory,
  expectPrinted,
  hex,
  large,
  moduleOf,
  path,
  write,
} from "../support/blakesum.ts";

const abcLine = `${abcBlake3}  abc\n`;
const largeBlake3 = hex(blake3(large));
const node = (args: readonly string[], options: object = {}) =>
  spawnSync(process.execPath, args, { cwd: directory, ...options });

/** What a script prints, as byte strings; in it, `b` is the command. */
function shell(script: string, env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync("sh", ["-c", `b() { "$NODE" "$BIN" "$@"; }\n${script}`], {
    cwd: directory,
    env: { ...process.env, NODE: process.execPath, BIN: bin, ...env },
  });
  return { status, stdout: stdout.toString("latin1"), stderr: stderr.toString("latin1") };
}

describe("a shell", () => {
  beforeAll(() => {
    write("list", `BLAKE2b (abc) = ${abcBlake2b}\n`);
    write("pipes.sums", `${abcBlake3}  fifo\n${hex(blake3(new Uint8Array()))}  /dev/null\n`);
    shell(
      "cp abc \"$(printf 'caf\\351')\"; cp abc größe; cp abc same; mkfifo fifo unread; ls caf* | b --files-from - >bytes.sums",
    );
    write("program.cjs", "require(process.env.BIN)");
    write("program.mjs", `import ${JSON.stringify(bin)}`);
  });

  const parts = `seq 0 262144 ${large.length - 1} | xargs -P 2 -I{} "$NODE" "$BIN" --subtree {}+262144 large`;

  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell reads it
  const complete = 'COMP_WORDS=(blakesum --algorithm blake2x); COMP_CWORD=2; _blakesum; echo "${COMPREPLY[@]}"';

  it.each<[script: string, printed: string, status?: number]>([
    ["b abc 2>&-", abcLine],
    ["b abc >&-", ""],
    ["b abc >/dev/null", ""],
    ["b abc >/dev/full", "! standard output: no space left on device"],
    ["b --no-names <large", largeBlake3],
    ["b --keyed -c list <.", "! standard input: is a directory"],
    ['"$BIN" abc', abcLine],
    // Programs that load the command, the first with no name to be called by.
    ['"$NODE" -e "require(process.env.BIN)" <abc', `${abcBlake3}  -`],
    ['"$NODE" program.cjs abc', abcLine],
    ['"$NODE" program.mjs abc', abcLine],
    // Names that are not UTF-8.
    ["ls | grep -a -e '^caf' -e '^gr' | b --files-from -", `${abcBlake3}  caf\xe9\n${abcBlake3}  gr\xc3\xb6\xc3\x9fe`],
    ["b -c bytes.sums", "caf\xe9: OK"],
    [
      "ls caf* | b --json --files-from -",
      `{"name":"caf\xef\xbf\xbd","nameBytes":"636166e9","algorithm":"blake3","digest":"${abcBlake3}"}`,
    ],
    ["printf 'none\\351 \\233x' | b --files-from -", "! none\\xe9 \\x9bx: no such file or directory"],
    ["(cat abc >fifo &); b fifo", `${abcBlake3}  fifo`],
    ["(cat abc >fifo &); b -c pipes.sums", "fifo: OK\n/dev/null: OK"],
    // Outputs that nobody reads: standard error is a pipe for reading and writing, then for writing alone.
    ['(b --tag abc $(yes abc | head -n 3000); echo "= $?" >&2) | head -n 1', `BLAKE3 (abc) = ${abcBlake3}\n! = 1`, 0],
    ['(b bao encode large -; echo "= $?" >&2) | head -c 1 >/dev/null', "! = 1", 0],
    ["exec 4<>unread 5>unread 4<&-; b missing abc 2>&5", abcLine, 1],
    [`${parts} | b --merge ${large.length} 262144`, largeBlake3],
    [`b --completions bash >names.bash; bash -c '. ./names.bash; ${complete}'`, "blake2xb blake2xs"],
    ["b bao encode same /dev/stdout 1<>same; cmp abc same", "! same: input and output are the same file", 0],
  ])("%s", (script, printed, status) => expectPrinted(shell(script), printed, status));
});

describe("pipes", () => {
  it("may come in chunks of odd sizes, late", async () => {
    const child = spawn(process.execPath, [bin, "-a", "blake2s"], { stdio: ["pipe", "pipe", "inherit"] });
    const output = child.stdout.toArray();
    let offset = 0;
    for (let size = 1; offset < large.length; size = size * 3 + 1) {
      child.stdin.write(large.subarray(offset, offset + size));
      offset += size;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    child.stdin.end();
    expect(Buffer.concat(await output).toString()).toBe(`${hex(blake2s(large))}  -\n`);
  });

  it("may be non-blocking", async () => {
    // A sibling that touches its streams makes the pipes non-blocking for all who share them, as long as it lives.
    const sibling = 'process.stdin; process.stdout; fs.writeFileSync("touched", ""); setInterval(() => {}, 1000)';
    const script = `exec 3<&0; "$0" -e '${sibling}' <&3 & until [ -e touched ]; do sleep 0.01; done; "$0" "$@"; kill $!`;
    const args = ["-c", script, process.execPath, bin, "--raw", "-l", "3000000"];
    const child = spawn("sh", args, { cwd: directory, stdio: ["pipe", "pipe", "inherit"] });
    await expect.poll(() => existsSync(path("touched"))).toBe(true);
    // Time for the command to find nothing, and then no room.
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.stdin.end(large);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const output = Buffer.concat(await child.stdout.toArray());
    expect(output.equals(blake3(large, { dkLen: 3_000_000 }))).toBe(true);
  });

  it.each(["--raw", "--no-names"])("get output of any length as fast as they read it: %s", async (style) => {
    const child = spawn(process.execPath, [bin, style, "-l", "9007199254740991", "abc"], { cwd: directory });
    const [first] = (await once(child.stdout, "data")) as [Buffer];
    child.stdout.destroy();
    const begin = first.subarray(0, 1000).toString(style === "--raw" ? "hex" : "latin1");
    expect(hex(blake3(abc, { dkLen: 1000 }))).toMatch(new RegExp(`^${begin}`));
    expect(begin.length).toBeGreaterThan(500);
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const)("leave no copy after %s", async (signal) => {
    const TMPDIR = path(`temporary-${signal}`);
    mkdirSync(TMPDIR);
    const env = { ...process.env, TMPDIR };
    const child = spawn(process.execPath, [bin, "bao", "encode", "-", "encoded"], { cwd: directory, env });
    const ended = once(child, "exit");
    // More than pipes hold, so that some of it has been copied once all is written.
    await new Promise((resolve) => child.stdin.on("error", () => {}).write(new Uint8Array(2 ** 23), resolve));
    child.kill(signal);
    expect(await ended).toEqual([null, signal]);
    expect(readdirSync(TMPDIR)).toEqual([]);
  });
});

describe("a system", () => {
  const LARGE = 128 * 2 ** 20;
  const holes = { half: LARGE, less: LARGE - 1, small: 2 ** 20 };
  const digests = Object.fromEntries(
    Object.entries(holes).map(([name, length]) => [name, hex(blake3(new Uint8Array(length)))]),
  );

  it.each<[args: string, files: string, starts: boolean]>([
    ["--threads 4", "half", true],
    ["--threads 4", "less", false],
    ["--threads 4", "less small", false],
    ["--threads 4", "half small", true],
    ["--threads 4", "less small small", true],
    ["--threads 1", "half", false],
  ])("without room for threads: %s %s is hashed alone", (args, files, starts) => {
    const threads = 'require("node:worker_threads").Worker';
    const module = moduleOf(`${threads} = function () { console.error("no thread"); throw new Error("EAGAIN"); };`);
    const names = files.split(" ");
    for (const name of names) {
      write(name, "");
      truncateSync(path(name), holes[name as keyof typeof holes]);
    }
    const { status, stdout, stderr } = node(["--require", module, bin, ...args.split(" "), ...names]);
    const lines = names.map((name) => `${digests[name]}  ${name}\n`).join("");
    expect([status, `${stdout}`, `${stderr}`]).toEqual([0, lines, starts ? "no thread\n" : ""]);
  });

  it.runIf(process.platform === "linux")("with too few addresses for a kernel: one error ends the command", () => {
    const advice = "WebAssembly reserves 10 GB of addresses for each algorithm; raise the limit of ulimit -v";
    expectPrinted(shell("ulimit -v 8000000; b abc abc"), `! out of memory: ${advice}`);
  });

  /** The peak of a run's own memory in MiB; resourceUsage would count that of the process it was forked from. */
  function peakOf(args: readonly string[], stdin: number | "ignore" = "ignore"): { peak: number; stdout: string } {
    const report = `import { readFileSync, writeSync } from "node:fs";
      process.on("exit", () => writeSync(3, readFileSync("/proc/self/status")));`;
    const probe = `data:text/javascript,${encodeURIComponent(report)}`;
    const { output } = node(["--import", probe, bin, ...args], { stdio: [stdin, "pipe", "inherit", "pipe"] });
    const [, kib] = /VmHWM:\s+(\d+)/.exec(`${output[3]}`) ?? [];
    return { peak: Number(kib) / 1024, stdout: `${output[1]}` };
  }

  it("with little memory: it does not grow with the file", () => {
    const size = 160 * 2 ** 20;
    write("sparse", "");
    truncateSync(path("sparse"), size);
    const expected = createHash("blake2b512").update(new Uint8Array(size)).digest("hex");
    const least = peakOf(["--version"]).peak;
    const stdin = openSync(path("sparse"), "r");
    for (const [name, { peak, stdout }] of [
      ["sparse", peakOf(["-a", "blake2b", "sparse"])],
      ["-", peakOf(["-a", "blake2b"], stdin)],
    ] as const) {
      expect(stdout).toBe(`${expected}  ${name}\n`);
      expect(peak - least).toBeLessThan(120);
    }
    closeSync(stdin);
  });
});
