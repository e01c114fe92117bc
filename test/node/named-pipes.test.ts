// Named pipes: with a writer, without one, and given up; by hashFile and by a pool, in a process that must end by
// itself.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ROOT } from "../support/child.ts";
import { nobleDigest } from "../support/streams.ts";

const folder = mkdtempSync(join(tmpdir(), "blake-simd-"));
const writing: ChildProcess[] = [];
afterAll(() => {
  for (const writer of writing) writer.kill();
  rmSync(folder, { recursive: true });
});

let made = 0;
function makeFifo(): string {
  const path = join(folder, `fifo-${made++}`);
  execFileSync("mkfifo", [path]);
  return path;
}

const prelude = `
  const { hashFile } = await import("blake-simd/node");
  const { Blake3Pool } = await import("blake-simd/parallel");
  const { blake3, toHex } = await import("blake-simd");
  const pool = new Blake3Pool({ threads: 1 });
  const ways = {
    hashFile: (path, options) => hashFile(blake3, path, options),
    pool: (path, options) => pool.hash({ path }, options),
  };`;

/** Runs code with each way to hash, one after the other, and its value; returns the lines that each printed. */
function run(values: readonly unknown[], code: string, atLast = ""): string[][] {
  const text = `
    import { execFileSync } from "node:child_process";
    import fs from "node:fs";
    import { Worker } from "node:worker_threads";
    ${prelude}
    const values = ${JSON.stringify(values)};
    for (const [way, hash] of Object.entries(ways)) {
      const value = values.shift();
      ${code}
      console.log("done");
    }
    ${atLast}`;
  const options = { cwd: ROOT, encoding: "utf8", timeout: 120_000 } as const;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", text], options);
  return output
    .split("done\n")
    .slice(0, -1)
    .map((lines) => lines.split("\n").slice(0, -1));
}

const hex = (text: string | Buffer): string => Buffer.from(nobleDigest(Buffer.from(text))).toString("hex");
const both = (...lines: string[]): string[][] => [lines, lines];

describe.runIf(process.platform === "linux")("a named pipe", () => {
  it("that is missing, or whose place another file has taken: that is closed", () => {
    const code = `
      console.log(await hash(value).catch(({ code, path }) => [code, path].join(" ")));
      const { stat, statSync } = fs;
      const fifo = { isFIFO: () => true };
      Object.assign(fs, { stat: (path, done) => done(null, fifo), statSync: () => fifo });
      const descriptors = () => fs.readdirSync("/proc/self/fd").length;
      await hash("missing").catch(() => {});
      const before = descriptors();
      for (let i = 0; i < 3; i++) console.log(await hash("package.json").then(() => "hashed", ({ code }) => code));
      console.log(descriptors() - before);
      Object.assign(fs, { stat, statSync });
      console.log(toHex(await hash("LICENSE")).length);`;
    const missing = join(folder, "missing");
    const lines = [`ENOENT ${missing}`, ...Array(3).fill("ERR_INVALID_FD_TYPE"), "0", "64"];
    expect(run([missing, missing], code)).toEqual(both(...lines));
  });

  it("ends when it is aborted, while the file is looked at too, and so does the process", () => {
    const code = `
      for (const delay of [0, 1, 50]) {
        const controller = new AbortController();
        setTimeout(() => controller.abort("enough"), delay);
        console.log(await hash(value, { signal: controller.signal }).catch((reason) => reason));
      }
      for (let ticks = 1; ticks < 30; ticks++) {
        const controller = new AbortController();
        const result = hash(value, { signal: controller.signal }).catch((reason) => reason);
        for (let i = 0; i < ticks; i++) await null;
        controller.abort("enough");
        if ((await result) !== "enough") throw new Error("not aborted");
      }`;
    expect(run([makeFifo(), makeFifo()], code)).toEqual(both("enough", "enough", "enough"));
  });

  it("waits for a writer, more often than there are threads for files", () => {
    const code = `
      const others = Array.from({ length: 5 }, (_, i) => value + "-" + i);
      for (const other of others) execFileSync("mkfifo", [other]);
      const controller = new AbortController();
      const waiting = others.map((other) => hash(other, { signal: controller.signal }).catch(() => {}));
      const digest = hash(value);
      // Without a reader it cannot be opened so.
      for (let written = false; !written; ) {
        try {
          const descriptor = fs.openSync(value, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK);
          fs.writeSync(descriptor, "abc");
          fs.closeSync(descriptor);
          written = true;
        } catch ({ code }) {
          if (code !== "ENXIO") throw code;
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      }
      console.log(toHex(await digest));
      controller.abort();
      await Promise.all(waiting);`;
    expect(run([makeFifo(), makeFifo()], code)).toEqual(both(hex("abc")));
  });

  it("of writers that write nothing, much, and something from time to time, and is aborted between two pieces", () => {
    const writers = {
      ":": "",
      "head -c 5000000 /dev/zero": Buffer.alloc(5_000_000),
      "printf abc; sleep 0.1; printf def": "abcdef",
    };
    const start = (command: string): string => {
      const path = makeFifo();
      writing.push(spawn("sh", ["-c", `exec > '${path}'; ${command}`]));
      return path;
    };
    const values = ["hashFile", "pool"].map(() => ({
      paths: Object.keys(writers).map(start),
      endless: start("printf abc; exec sleep 1000"),
    }));
    const code = `
      for (const path of value.paths) console.log(toHex(await hash(path)));
      const controller = new AbortController();
      const onProgress = () => setTimeout(() => controller.abort("enough"), 20);
      console.log(await hash(value.endless, { signal: controller.signal, onProgress }).catch((reason) => reason));`;
    expect(run(values, code)).toEqual(both(...Object.values(writers).map(hex), "enough"));
  });

  it("leaves the bytes to the next reader if it was aborted, in a thread too", () => {
    const inWorker = `(async () => {${prelude}
      const { parentPort, workerData: [way, path] } = await import("node:worker_threads");
      for (let i = 0; i < 2; i++) await ways[way](path, { signal: AbortSignal.timeout(50) }).catch(() => {});
      const digest = ways[way](path);
      parentPort.postMessage("reading");
      parentPort.postMessage(toHex(await digest));
    })()`;
    const code = `
      const worker = new Worker(${JSON.stringify(inWorker)}, { eval: true, workerData: [way, value] });
      console.log(await new Promise((resolve, reject) => worker.on("error", reject).on("message", (text) => {
        if (text === "reading") setTimeout(() => fs.writeFileSync(value, "abc"), 100);
        else resolve(text);
      })));`;
    // The worker's threads may wait for ever.
    expect(run([makeFifo(), makeFifo()], code, "process.exit();")).toEqual(both(hex("abc")));
  });

  it("leaves the files of other threads open when the thread that read it ends", () => {
    const paths = [makeFifo(), makeFifo()];
    for (const path of paths) spawn("sh", ["-c", `printf abc > '${path}'`]);
    const inWorker = `(async () => {${prelude}
      const { parentPort, workerData: [way, path] } = await import("node:worker_threads");
      parentPort.once("message", () => process.exit());
      parentPort.postMessage(toHex(await ways[way](path)));
    })()`;
    const code = `
      const worker = new Worker(${JSON.stringify(inWorker)}, { eval: true, workerData: [way, value] });
      console.log(await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject)));
      // They get the numbers that have become free.
      const files = Array.from({ length: 40 }, () => fs.openSync("package.json"));
      worker.postMessage("end");
      await new Promise((resolve) => worker.once("exit", resolve));
      for (const file of files) fs.fstatSync(file);`;
    expect(run(paths, code)).toEqual(both(hex("abc")));
  });
});
