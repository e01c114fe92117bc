// Named pipes: with a writer, without one, and given up.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ROOT } from "../support/child.ts";
import { nobleDigest } from "../support/streams.ts";

const folder = mkdtempSync(join(tmpdir(), "blake-simd-"));
afterAll(() => rmSync(folder, { recursive: true }));

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
  };
  const pipes = await import("node:fs");
  /** Writes as soon as the pipe has a reader: without one it cannot be opened so. */
  const writeOnceRead = async (path, text) => {
    for (;;) {
      try {
        const descriptor = pipes.openSync(path, pipes.constants.O_WRONLY | pipes.constants.O_NONBLOCK);
        pipes.writeSync(descriptor, text);
        return pipes.closeSync(descriptor);
      } catch ({ code }) {
        if (code !== "ENXIO") throw code;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
  };`;

/** Runs code in a separate process, which is killed if it does not end by itself. */
function run(way: string, path: string, code: string): string {
  const text = `${prelude} const [hash, path] = [ways.${way}, ${JSON.stringify(path)}]; ${code}`;
  return execFileSync(process.execPath, ["--input-type=module", "--eval", text], {
    cwd: ROOT,
    encoding: "utf8",
    timeout: 120_000,
  }).trim();
}

describe.runIf(process.platform === "linux").each(["hashFile", "pool"])("%s", (way) => {
  it("says what the system says of a path that leads nowhere", () => {
    const code = "console.log(await hash(path).catch(({ code, path }) => [code, path].join(' ')));";
    const missing = join(folder, "missing");
    expect(run(way, missing, code)).toBe(`ENOENT ${missing}`);
  });

  it("closes what has taken a named pipe's place before it was opened", () => {
    const code = `
      const fs = await import("node:fs");
      const { stat } = fs.promises;
      fs.promises.stat = async () => ({ isFIFO: () => true });
      const descriptors = () => fs.readdirSync("/proc/self/fd").length;
      await hash("missing").catch(() => {});
      const before = descriptors();
      const errors = [];
      for (let i = 0; i < 3; i++) errors.push(await hash("package.json").then(() => "hashed", ({ code }) => code));
      console.log(errors.join(), descriptors() - before);
      fs.promises.stat = stat;
      console.log(toHex(await hash("LICENSE")).length);`;
    // hashFile asks what it has opened.
    const outcome = way === "hashFile" ? "hashed" : "ERR_INVALID_FD_TYPE";
    expect(run(way, "", code)).toBe(`${Array(3).fill(outcome)} 0\n64`);
  });

  it("ends when it is aborted, while the file is looked at too, and so does the process", () => {
    const code = `
      for (const delay of [0, 1, 50]) {
        const controller = new AbortController();
        setTimeout(() => controller.abort("enough"), delay);
        console.log(await hash(path, { signal: controller.signal }).catch((reason) => reason));
      }
      for (let ticks = 1; ticks < 30; ticks++) {
        const controller = new AbortController();
        const result = hash(path, { signal: controller.signal }).catch((reason) => reason);
        for (let i = 0; i < ticks; i++) await null;
        controller.abort("enough");
        if ((await result) !== "enough") throw new Error("not aborted");
      }
      console.log("ended");`;
    expect(run(way, makeFifo(), code)).toBe("enough\nenough\nenough\nended");
  });

  it("waits for a writer, more often than there are threads for files", () => {
    const code = `
      const { execFileSync } = await import("node:child_process");
      const paths = [path];
      for (let i = 0; i < 5; i++) execFileSync("mkfifo", [paths[i + 1] = path + "-" + i]);
      const controller = new AbortController();
      const waiting = paths.slice(1).map((other) => hash(other, { signal: controller.signal }).catch(() => {}));
      const digest = hash(path);
      await writeOnceRead(path, "abc");
      console.log(toHex(await digest));
      controller.abort();
      await Promise.all(waiting);`;
    expect(run(way, makeFifo(), code)).toBe(Buffer.from(nobleDigest(Buffer.from("abc"))).toString("hex"));
  });

  it("writers that write nothing, much, and something from time to time", () => {
    const writers = {
      ":": Buffer.alloc(0),
      "head -c 5000000 /dev/zero": Buffer.alloc(5_000_000),
      "printf abc; sleep 0.1; printf def": Buffer.from("abcdef"),
    };
    const paths = Object.keys(writers).map((command) => {
      const path = makeFifo();
      spawn("sh", ["-c", `sleep 0.3; (${command}) > '${path}'`]);
      return path;
    });
    const code = `for (const path of ${JSON.stringify(paths)}) console.log(toHex(await hash(path)));`;
    const digests = Object.values(writers).map((message) => Buffer.from(nobleDigest(message)).toString("hex"));
    expect(run(way, "", code)).toBe(digests.join("\n"));
  });

  it("is aborted between two pieces", () => {
    const path = makeFifo();
    const writer = spawn("sh", ["-c", `exec > '${path}'; printf abc; exec sleep 1000`]);
    const code = `
      const controller = new AbortController();
      const onProgress = () => setTimeout(() => controller.abort("enough"), 20);
      console.log(await hash(path, { signal: controller.signal, onProgress }).catch((reason) => reason));`;
    expect(run(way, path, code)).toBe("enough");
    writer.kill();
  });

  it("leaves the bytes to the next reader if it was aborted, in a thread too", () => {
    const path = makeFifo();
    const inWorker = `(async () => {${prelude}
      const { parentPort, workerData: path } = await import("node:worker_threads");
      for (let i = 0; i < 2; i++) await ways.${way}(path, { signal: AbortSignal.timeout(50) }).catch(() => {});
      const digest = ways.${way}(path);
      parentPort.postMessage("reading");
      parentPort.postMessage(toHex(await digest));
    })()`;
    const code = `
      const { Worker } = await import("node:worker_threads");
      const { writeFileSync } = await import("node:fs");
      const worker = new Worker(${JSON.stringify(inWorker)}, { eval: true, workerData: path });
      worker.on("error", (error) => { throw error; });
      worker.on("message", (text) => {
        if (text === "reading") return setTimeout(() => writeFileSync(path, "abc"), 100);
        console.log(text);
        process.exit();
      });`;
    expect(run(way, path, code)).toBe(Buffer.from(nobleDigest("abc")).toString("hex"));
  });

  it("leaves the files of other threads open when the thread that read it ends", () => {
    const path = makeFifo();
    spawn("sh", ["-c", `printf abc > '${path}'`]);
    const inWorker = `(async () => {${prelude}
      const { parentPort, workerData: path } = await import("node:worker_threads");
      parentPort.once("message", () => process.exit());
      parentPort.postMessage(toHex(await ways.${way}(path)));
    })()`;
    const code = `
      const { Worker } = await import("node:worker_threads");
      const { fstatSync, openSync } = await import("node:fs");
      const worker = new Worker(${JSON.stringify(inWorker)}, { eval: true, workerData: path });
      console.log(await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject)));
      // They get the numbers that have become free.
      const files = Array.from({ length: 40 }, () => openSync("package.json"));
      worker.postMessage("end");
      await new Promise((resolve) => worker.once("exit", resolve));
      for (const file of files) fstatSync(file);`;
    expect(run(way, path, code)).toBe(Buffer.from(nobleDigest(Buffer.from("abc"))).toString("hex"));
  });
});
