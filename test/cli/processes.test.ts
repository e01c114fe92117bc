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
  bytesOf,
  directory,
  expectPrinted,
  good,
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
    shell("cp abc \"$(printf 'caf\\351')\"; cp abc größe; cp abc same; mkfifo fifo unread; b caf* >bytes.sums");
    write("program.cjs", "require(process.env.BIN)");
    write("program.mjs", `import ${JSON.stringify(bin)}`);
  });

  const isClosed = "! standard output: is closed";
  const parts = `seq 0 262144 ${large.length - 1} | xargs -P 2 -I{} "$NODE" "$BIN" --subtree {}+262144 large`;

  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell reads it
  const complete = 'COMP_WORDS=(blakesum --algorithm blake2x); COMP_CWORD=2; _blakesum; echo "${COMPREPLY[@]}"';

  it.each<[script: string, printed: string, status?: number]>([
    ["b abc 2>&-", abcLine],
    ["b - abc <&-", `${abcLine}! standard input: is closed`],
    ["b abc >&-", isClosed],
    ["b abc >&- 2>&-", "", 1],
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
    ["b caf* größe", `${abcBlake3}  caf\xe9\n${abcBlake3}  gr\xc3\xb6\xc3\x9fe`],
    ["b -c bytes.sums", "caf\xe9: OK"],
    ["b --json caf*", `{"name":"caf\xef\xbf\xbd","nameBytes":"636166e9","algorithm":"blake3","digest":"${abcBlake3}"}`],
    ["b \"$(printf 'none\\351 \\233x')\"", "! none\\xe9 \\x9bx: no such file or directory"],
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

  it("gives names that are not UTF-8 as /proc has them, if it is to be read and has these arguments", () => {
    const withModule = (before: string) =>
      shell('"$NODE" --require "$MODULE" "$BIN" caf*', { MODULE: moduleOf(before) });
    const closed = `
      const fs = require("node:fs");
      const { readFileSync } = fs;
      fs.readFileSync = (file, ...rest) => {
        if (file === "/proc/self/cmdline") throw new Error("no /proc");
        return readFileSync(file, ...rest);
      };`;
    expect(withModule("")).toEqual(good(`${abcBlake3}  caf\xe9\n`));
    // Node.js has replaced the byte, and there is no such file.
    for (const before of [closed, 'process.argv[2] = "abc\\ufffd";'])
      expect(withModule(before)).toMatchObject({ status: 1, stdout: "" });
  });
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

  it("get the result of one line while the next is still to come", async () => {
    const child = spawn(process.execPath, [bin, "-c"], { cwd: directory });
    const first = once(child.stdout, "data");
    child.stdin.write(`${abcBlake3}  abc\n`);
    expect(`${await first}`).toBe("abc: OK\n");
    child.stdin.end();
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
  it("without room for threads: the command hashes alone", () => {
    const threads = 'require("node:worker_threads").Worker';
    const module = moduleOf(`${threads} = function () { console.error("no thread"); throw new Error("EAGAIN"); };`);
    const half = bytesOf(13 * 2 ** 20);
    write("half", half);
    const { status, stdout, stderr } = node([
      "--require",
      module,
      bin,
      "-a",
      "blake2b",
      "--threads",
      "4",
      "half",
      "half",
    ]);
    const line = `${createHash("blake2b512").update(half).digest("hex")}  half\n`;
    expect([status, `${stdout}`, `${stderr}`]).toEqual([0, line + line, "no thread\n"]);
  });

  it.each([
    ["before it has begun", ""],
    ["with a file that it has taken", "while (new Int32Array(message.place.input.memory, 8, 1)[0] === 0) {}"],
  ])("that ends a worker %s: the others hash all files", (_, wait) => {
    const module = moduleOf(`const threads = require("node:worker_threads");
      threads.Worker = class extends threads.Worker {
        postMessage(message, transfer) {
          super.postMessage(message, transfer);
          ${wait}
          this.terminate();
          console.error("ended");
        }
      };`);
    const half = bytesOf(13 * 2 ** 20);
    write("half", half);
    const names = Array(6).fill("half");
    const run = node(["--require", module, bin, "-a", "blake2b", "--threads", "2", ...names]);
    const line = `${createHash("blake2b512").update(half).digest("hex")}  half\n`;
    expect([run.status, `${run.stdout}`, `${run.stderr}`]).toEqual([0, line.repeat(6), "ended\n"]);
  });

  it("with a Math.random that was replaced before: its marks differ from the bytes of a pipe", () => {
    const module = moduleOf("Math.random = () => 0;");
    for (const byte of [0, 255]) {
      const input = new Uint8Array(20).fill(byte);
      const { status, stdout, stderr } = node(["--require", module, bin], { input });
      const printed = { status, stdout: `${stdout}`, stderr: `${stderr}` };
      expect(printed).toEqual(good(`${hex(blake3(input))}  -\n`));
    }
  });

  it("with few descriptors: the command needs no more than Node itself", () => {
    const run = (limit: number, ...args: string[]) => {
      const limited = ["-c", 'ulimit -n "$0"; ulimit -c 0; exec "$@"', `${limit}`, process.execPath, ...args];
      const { status, stdout, stderr } = spawnSync("sh", limited, { cwd: directory });
      return { limit, status, stdout: `${stdout}`, stderr: `${stderr}` };
    };
    write("nothing.cjs", "");
    let [none, enough] = [3, 64];
    while (enough - none > 1) {
      const limit = (none + enough) >> 1;
      if (run(limit, "nothing.cjs").status === 0) enough = limit;
      else none = limit;
    }
    for (let limit = enough; limit < enough + 4; limit++)
      expect(run(limit, bin, "abc")).toEqual({ limit, ...good(abcLine) });
    // More threads than there are descriptors for: the calling thread goes on without them, in the next window, too.
    const contents = [13 * 2 ** 20, 1, 2, 3].map((length) => bytesOf(length));
    for (const [i, content] of contents.entries()) write(`few-${i}`, content);
    const files = Array.from({ length: 1000 }, (_, i) => (i < 2 ? 0 : 1 + (i % 3)));
    const sums = contents.map((content) => createHash("blake2b512").update(content).digest("hex"));
    const lines = files.map((i) => `${sums[i]}  few-${i}\n`).join("");
    const args = ["-a", "blake2b", "--threads", "32", ...files.map((i) => `few-${i}`)];
    for (const limit of [enough + 8, 64, 128]) expect(run(limit, bin, ...args)).toEqual({ limit, ...good(lines) });
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
