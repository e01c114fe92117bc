// Runs the built command, dist/cli/blakesum.cjs, and holds it against @noble/hashes and node:crypto.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, openSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { blake2b, blake2s } from "@noble/hashes/blake2.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { describe, expect, it } from "vitest";
import {
  abc,
  abcBlake2b,
  abcBlake2s,
  abcBlake3,
  bin,
  blakesum,
  bytesOf,
  call,
  directory,
  escapes,
  good,
  hex,
  large,
  onLinux,
  path,
  write,
} from "../support/blakesum.ts";

describe.concurrent("digests", () => {
  it.each([
    ["blake2b", 64, blake2b],
    ["blake2s", 32, blake2s],
    ["blake3", 32, blake3],
  ] as const)("%s of files, of its own length, shorter and of one byte", async (name, length, oracle) => {
    const files = { abc, empty: new Uint8Array(), large };
    for (const dkLen of [length, 20, 1]) {
      const lines = Object.entries(files).map(([file, content]) => `${hex(oracle(content, { dkLen }))}  ${file}\n`);
      await call(["-a", name, "-l", `${dkLen}`, ...Object.keys(files)]).prints(lines.join(""));
    }
  });

  it("blake3 by default, at the default length of each algorithm", async () => {
    await call("abc").prints(`${abcBlake3}  abc\n`);
    await call("--algorithm=blake2b large").prints(`${createHash("blake2b512").update(large).digest("hex")}  large\n`);
    await call("--algorithm blake2s large").prints(`${createHash("blake2s256").update(large).digest("hex")}  large\n`);
  });

  it("blake224 of the only length that it has", async () => {
    const line = "7dc5313b1c04512a174bd6503b89607aecbee0903d40a8a569c94eed  -\n";
    await call("-a blake224").prints(line);
    await call("-a blake224 -l 28").prints(line);
  });

  it("blake3 longer than its own length, and than the command prints at once", async () => {
    await call("--length=1000 abc").prints(`${hex(blake3(abc, { dkLen: 1000 }))}  abc\n`);
    const long = hex(blake3(abc, { dkLen: 500_001 }));
    await call("--length=500001 --tag abc").prints(`BLAKE3 (abc) = ${long}\n`);
  });

  it.each([
    ["blake3", 32, (key: Uint8Array) => blake3(large, { key })],
    ["blake2b", 64, (key: Uint8Array) => blake2b(large, { key })],
    ["blake2b", 1, (key: Uint8Array) => blake2b(large, { key })],
    ["blake2s", 32, (key: Uint8Array) => blake2s(large, { key })],
  ] as const)("%s keyed with %i bytes of standard input", async (name, length, oracle) => {
    const key = bytesOf(length + 9).subarray(9);
    await call(["-a", name, "--keyed", "large"], key).prints(`${hex(oracle(key))}  large\n`);
  });

  it("a derived key, the context being UTF-8", async () => {
    const context = "blake-simd 2024-01-01 Schlüssel";
    await call(["--derive-key", context, "--length", "80", "large"]).prints(
      `${hex(blake3(large, { context: Buffer.from(context), dkLen: 80 }))}  large\n`,
    );
  });
});

describe.concurrent("standard input", () => {
  it.each([[[]], [["-"]], [["/dev/stdin"]]])("is read for %j", async (args) => {
    await call(args, large).prints(`${hex(blake3(large))}  ${args[0] ?? "-"}\n`);
  });

  it("may be empty, and stand among files", async () => {
    await call("abc - empty", "").prints(
      `${abcBlake3}  abc\n${hex(blake3(abc.subarray(3)))}  -\n${hex(blake3(abc.subarray(3)))}  empty\n`,
    );
  });

  it("may be a file", async () => {
    const stdin = openSync(path("large"), "r");
    const { stdout } = spawnSync(process.execPath, [bin, "--no-names"], { stdio: [stdin, "pipe", "inherit"] });
    expect(stdout.toString()).toBe(`${hex(blake3(large))}\n`);
  });

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

  it("and standard output may be non-blocking", async () => {
    // A sibling that touches its streams makes the pipes non-blocking for all who share them, as long as it lives.
    const sibling = 'process.stdin; process.stdout; fs.writeFileSync("touched", ""); setInterval(() => {}, 1000)';
    const shell = `exec 3<&0; "$0" -e '${sibling}' <&3 & until [ -e touched ]; do sleep 0.01; done; "$0" "$@"; kill $!`;
    const args = ["-c", shell, process.execPath, bin, "--raw", "-l", "3000000"];
    const child = spawn("sh", args, { cwd: directory, stdio: ["pipe", "pipe", "inherit"] });
    await expect.poll(() => existsSync(path("touched"))).toBe(true);
    // Time for the command to find nothing, and then no room.
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.stdin.end(large);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const output = Buffer.concat(await child.stdout.toArray());
    expect(output.equals(blake3(large, { dkLen: 3_000_000 }))).toBe(true);
  });
});

describe.concurrent("output", () => {
  it("escapes backslash, newline and carriage return in names, and marks the line", async () => {
    const names = Object.keys(escapes);
    const lines = (line: (name: string, escaped: string) => string) =>
      good(
        Object.entries(escapes)
          .map(([name, escaped]) => line(name, escaped))
          .join(""),
      );
    expect(await blakesum(names)).toEqual(lines((_, escaped) => `\\${abcBlake3}  ${escaped}\n`));
    expect(await blakesum(["--tag", ...names])).toEqual(
      lines((_, escaped) => `\\BLAKE3 (${escaped}) = ${abcBlake3}\n`),
    );
    expect(await blakesum(["-z", ...names])).toEqual(lines((name) => `${abcBlake3}  ${name}\0`));
  });

  it("--tag names the algorithm, and the length in bits if it is not the default", async () => {
    await call("--tag abc").prints(`BLAKE3 (abc) = ${abcBlake3}\n`);
    await call("--tag -a blake2b abc").prints(`BLAKE2b (abc) = ${abcBlake2b}\n`);
    await call("--tag -a blake2b -l16 abc").prints(`BLAKE2b-128 (abc) = ${hex(blake2b(abc, { dkLen: 16 }))}\n`);
    await call("--tag -bza blake2s abc").prints(`BLAKE2s (abc) = ${abcBlake2s}\0`);
  });

  it("-b marks names with an asterisk, -t does not", async () => {
    await call("--binary abc").prints(`${abcBlake3} *abc\n`);
    await call("-t abc").prints(`${abcBlake3}  abc\n`);
  });

  it("--no-names prints digests alone", async () => {
    await call("--no-names abc empty").prints(`${abcBlake3}\n${hex(blake3(new Uint8Array()))}\n`);
    await call("--no-names --zero abc").prints(`${abcBlake3}\0`);
  });

  it("--raw prints the bytes alone", async () => {
    await call("--raw abc").prints(Buffer.from(blake3(abc)).toString("latin1"));
    await call("--raw --tag -z -l 300", abc).prints(Buffer.from(blake3(abc, { dkLen: 300 })).toString("latin1"));
  });

  it("of options that exclude each other, and of values, the last counts", async () => {
    await call("-bt -l 16 -l4 abc").prints(`${abcBlake3.slice(0, 8)}  abc\n`);
    await call("abc -t --length=32 -ba blake2b --algorithm blake3").prints(`${abcBlake3} *abc\n`);
    expect(await blakesum("abc - --threads 1 empty -- abc -dash")).toEqual(
      await blakesum("--threads=1 -- abc - empty abc -dash"),
    );
    await call("--derive-key --tag abc").prints(`${hex(blake3(abc, { context: Buffer.from("--tag") }))}  abc\n`);
  });

  it("-- ends the options, so a name may begin with -", async () => {
    const digest = hex(blake3(Buffer.from("dash")));
    await call("-- -dash").prints(`${digest}  -dash\n`);
    await call("./-dash").prints(`${digest}  ./-dash\n`);
    await call("-c", `${digest}  -dash\n`).prints("-dash: OK\n");
  });

  it("keeps names that are UTF-8 as they are", async () => {
    write("größe 文", abc);
    await call(["größe 文"]).prints(Buffer.from(`${abcBlake3}  größe 文\n`).toString("latin1"));
    await call("-c", `${abcBlake3}  größe 文\n`).prints(Buffer.from("größe 文: OK\n").toString("latin1"));
  });

  it.runIf(onLinux)("keeps names that are not UTF-8 as they are", async () => {
    const name = Buffer.from("caf\xe9", "latin1");
    writeFileSync(Buffer.concat([Buffer.from(`${directory}/`), name]), abc);
    const shell = `"$0" "$1" "$(printf 'caf\\351')" größe`;
    write("größe", abc);
    const { stdout } = spawnSync("sh", ["-c", shell, process.execPath, bin], { cwd: directory });
    const list = Buffer.concat([Buffer.from(`${abcBlake3}  `), name, Buffer.from(`\n${abcBlake3}  größe\n`)]);
    expect(stdout.equals(list)).toBe(true);
    expect((await blakesum("-c", list)).status).toBe(0);
  });

  it("--help covers every option, every algorithm and the exit status", async () => {
    const { status, stdout, stderr } = await blakesum("--help");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const long =
      "algorithm length keyed derive-key tag zero raw no-names binary text check ignore-missing quiet status";
    for (const name of `${long} strict warn help version`.split(" ")) expect(stdout).toContain(`--${name} `);
    for (const name of ["blake2b", "blake2s", "blake3"]) expect(stdout).toMatch(new RegExp(`^ +${name} `, "m"));
    expect(stdout).toMatch(/Exit status: 0 .*; 1 .*;\s2 /s);
    for (const args of [["-h"], ["-bh", "abc"]]) {
      const short = await blakesum(args);
      expect(short.stdout.split("\n").length).toBeLessThan(24);
      expect(short.stdout).toMatch(/^Usage: blakesum .*Try 'blakesum --help' for all options\.\n$/s);
    }
    expect((await blakesum("-h --help")).stdout).toBe(stdout);
  });

  it("--version prints the package's version", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    await call("--version").prints(`blakesum ${version}\n`);
    await call("-V missing").prints(`blakesum ${version}\n`);
  });
});

describe.concurrent("trouble with files", () => {
  it("names a missing file and a directory, and does the others", async () => {
    await call(["missing", "abc", "folder", "empty", ""]).fails(
      `${abcBlake3}  abc\n${hex(blake3(new Uint8Array()))}  empty\n`,
      "missing: no such file or directory",
      "folder: is a directory",
      "'': no such file or directory",
    );
  });

  it.runIf(onLinux)("names a file that cannot be opened or read", async () => {
    write("locked", abc);
    chmodSync(path("locked"), 0);
    // Nothing is locked for root, but nobody can read at address 0.
    const [name, reason] = process.getuid?.() === 0 ? ["/proc/self/mem", "i/o error"] : ["locked", "permission denied"];
    await call([name, "abc"]).fails(`${abcBlake3}  abc\n`, `${name}: ${reason}`);
  });

  it("keeps to one line and to printable characters whatever the name", async () => {
    expect((await blakesum(["new\nline \x1b[31m"])).stderr).toBe(
      "blakesum: new\\x0aline \\x1b[31m: no such file or directory\n",
    );
    expect((await blakesum(["größe\u009b31m\u0085\x7f\u2028"])).stderr).toBe(
      "blakesum: größe\\xc2\\x9b31m\\xc2\\x85\\x7f\\xe2\\x80\\xa8: no such file or directory\n",
    );
    expect((await blakesum(["-c", "--warn", "none\u009b"])).stderr).toContain("blakesum: none\\xc2\\x9b: no such");
    expect((await blakesum(["--\u009bx"])).stderr).toMatch(/^blakesum: there is no option --\\xc2\\x9bx\n/);
  });

  it.runIf(onLinux)("keeps to printable characters if the name is not UTF-8", () => {
    const shell = `"$0" "$1" "$(printf 'caf\\351 \\233x')"`;
    const { stderr } = spawnSync("sh", ["-c", shell, process.execPath, bin], { cwd: directory });
    expect(stderr.toString("latin1")).toBe("blakesum: caf\\xe9 \\x9bx: no such file or directory\n");
  });

  it.runIf(onLinux)("reads files that claim to be empty, and FIFOs", async () => {
    await call("/proc/version").prints(`${hex(blake3(readFileSync("/proc/version")))}  /proc/version\n`);
    const shell = `mkfifo fifo && (sh -c 'cat abc > fifo' &) && "$0" "$1" fifo`;
    const { stdout } = spawnSync("sh", ["-c", shell, process.execPath, bin], { cwd: directory });
    expect(stdout.toString()).toBe(`${abcBlake3}  fifo\n`);
  });

  it("exits quietly, not with 0, if its output is not read", async () => {
    const shell = `("$0" "$1" --tag "$2" $(yes abc | head -n 3000); echo "status $?" >&2) | head -n 1`;
    const { stdout, stderr } = spawnSync("sh", ["-c", shell, process.execPath, bin, "abc"], { cwd: directory });
    expect(stdout.toString()).toBe(`BLAKE3 (abc) = ${abcBlake3}\n`);
    expect(stderr.toString()).toBe("status 1\n");
  });

  it.runIf(onLinux)("survives standard error that nobody reads", async () => {
    // A pipe for reading and writing, then for writing alone.
    const shell = `mkfifo unread; exec 4<>unread 5>unread 4<&-; "$0" "$1" missing abc 2>&5 >out; echo "status $?" >&2; cat out`;
    const { stdout, stderr } = spawnSync("sh", ["-c", shell, process.execPath, bin], { cwd: directory });
    expect(stdout.toString()).toBe(`${abcBlake3}  abc\n`);
    expect(stderr.toString()).toBe("status 1\n");
  });
});

describe("the built command", () => {
  it("may be run as it is", () => {
    const { status, stdout } = spawnSync(bin, ["abc"], { cwd: directory });
    expect({ status, stdout: `${stdout}` }).toEqual({ status: 0, stdout: `${abcBlake3}  abc\n` });
  });

  it("hashes alone if the system has no room for threads", () => {
    const preload = path("no-threads.cjs");
    const threads = 'require("node:worker_threads").Worker';
    write("no-threads.cjs", `${threads} = function () { console.error("no thread"); throw new Error("EAGAIN"); };`);
    const half = bytesOf(13 * 2 ** 20);
    write("half", half);
    const args = ["--require", preload, bin, "-a", "blake2b", "--threads", "4", "half", "half"];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: directory });
    const line = `${createHash("blake2b512").update(half).digest("hex")}  half\n`;
    expect({ status, stdout: `${stdout}`, stderr: `${stderr}` }).toEqual({
      status: 0,
      stdout: line + line,
      stderr: "no thread\n",
    });
  });

  it.each(["cjs", "mjs"])("runs if another program loads it, by %s", (kind) => {
    write(`wrapper.${kind}`, kind === "cjs" ? `require(${JSON.stringify(bin)})` : `import ${JSON.stringify(bin)}`);
    const { status, stdout } = spawnSync(process.execPath, [`wrapper.${kind}`, "abc"], { cwd: directory });
    expect({ status, stdout: `${stdout}` }).toEqual({ status: 0, stdout: `${abcBlake3}  abc\n` });
  });

  it.runIf(onLinux)(
    "runs with any number of descriptors that Node itself can start with",
    () => {
      write("nothing.cjs", "");
      write("sums", `${abcBlake3}  abc\n`);
      const run = (limit: number, ...args: string[]) =>
        spawnSync("sh", ["-c", 'ulimit -n "$0"; ulimit -c 0; exec "$@"', `${limit}`, process.execPath, ...args], {
          cwd: directory,
        });
      let limits = 0;
      for (let limit = 3; limit <= 48; limit += limits < 8 ? 1 : 8) {
        const { status, stdout, stderr } = run(limit, bin, "abc");
        if (status !== 0 && run(limit, "nothing.cjs").status !== 0) continue;
        limits++;
        const all = { limit, status, stdout: `${stdout}`, stderr: `${stderr}` };
        expect(all).toEqual({ limit, status: 0, stdout: `${abcBlake3}  abc\n`, stderr: "" });
      }
      expect(limits).toBeGreaterThan(8);
    },
    180_000,
  );
});

describe.concurrent("memory", () => {
  /** The peak of a run's own memory in MiB; resourceUsage would count that of the process it was forked from. */
  function peakOf(args: readonly string[], stdin?: number): { peak: number; stdout: string } {
    const report = `import { readFileSync, writeSync } from "node:fs";
      process.on("exit", () => writeSync(3, readFileSync("/proc/self/status")));`;
    const probe = `data:text/javascript,${encodeURIComponent(report)}`;
    const { output, stderr } = spawnSync(process.execPath, ["--import", probe, bin, ...args], {
      cwd: directory,
      stdio: [stdin ?? "ignore", "pipe", "pipe", "pipe"],
    });
    expect(stderr.toString()).toBe("");
    const [, kib] = /VmHWM:\s+(\d+)/.exec(`${output[3]}`) ?? [];
    return { peak: Number(kib) / 1024, stdout: `${output[1]}` };
  }

  it.runIf(onLinux)("does not grow with the file", async () => {
    const size = 200 * 1024 * 1024;
    write("sparse", "");
    truncateSync(path("sparse"), size);
    const expected = createHash("blake2b512").update(new Uint8Array(size)).digest("hex");
    const least = peakOf(["--version"]).peak;

    const file = peakOf(["-a", "blake2b", "sparse"]);
    expect(file.stdout).toBe(`${expected}  sparse\n`);
    expect(file.peak - least).toBeLessThan(120);

    const stdin = peakOf(["-a", "blake2b"], openSync(path("sparse"), "r"));
    expect(stdin.stdout).toBe(`${expected}  -\n`);
    expect(stdin.peak - least).toBeLessThan(120);
  });
});
