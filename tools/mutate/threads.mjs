// Threads that run tests (test-thread.mjs), each ended when it has used more time than it may.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

const script = join(import.meta.dirname, "test-thread.mjs");
const TICK = 100;
/** Waiting costs no processor time, so it may take this many times longer. */
const PATIENCE = 6;

/**
 * Runs a thread; resolves to "pass", "fail" or "timeout" when it has ended.
 *
 * @param seconds of the processor's time, of this whole process
 */
export function runThread(workerData, seconds, receive = () => {}) {
  return new Promise((resolve) => {
    let ended = "fail";
    const started = Date.now();
    const before = process.cpuUsage();
    const worker = new Worker(script, {
      workerData,
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 2048 },
    });
    const timer = setInterval(() => {
      const { user, system } = process.cpuUsage(before);
      const isOver = (user + system) / 1e6 > seconds || Date.now() - started > seconds * 1000 * PATIENCE;
      if (!isOver) return;
      ended = "timeout";
      endChildren();
      void worker.terminate();
    }, TICK);
    worker.on("message", (message) => {
      if (message.ended) ended = message.ended;
      else receive(message);
    });
    worker.on("error", () => {
      if (ended !== "timeout") ended = "fail";
    });
    worker.on("exit", () => {
      clearInterval(timer);
      resolve(ended);
    });
  });
}

/** A thread that waits for a process cannot be ended before it. */
function endChildren() {
  try {
    const children = execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)], { encoding: "utf8" });
    for (const [, pid, args] of children.matchAll(/^ *(\d+) (.*)$/gm)) {
      if (args.includes("--input-type=module") || args.startsWith(process.execPath))
        process.kill(Number(pid), "SIGKILL");
    }
  } catch {
    // None is left.
  }
}
