// The URL of a browser's worker script, which keeps the script in memory: none is left, however a pool's workers end.
import { expect, it } from "vitest";
import { runNode } from "../support/child.ts";

/** How many URLs a pool of two threads makes, and how many it leaves, with workers of some kind; `use` is called with it. */
function urlsLeft(workerClass: string, use: string): unknown {
  return runNode(`
    process.getBuiltinModule = undefined;
    const urls = new Set();
    let made = 0;
    const { createObjectURL, revokeObjectURL } = URL;
    URL.createObjectURL = (blob) => {
      const url = createObjectURL(blob);
      made++;
      urls.add(url);
      return url;
    };
    URL.revokeObjectURL = (url) => {
      urls.delete(url);
      revokeObjectURL(url);
    };
    globalThis.Worker = ${workerClass};
    const { Blake3Pool } = await import("blake-simd/parallel");
    const { blake3, equal } = await import("blake-simd");
    const message = new Uint8Array(3_000_000);
    const pool = new Blake3Pool({ threads: 2 });
    /** Later, in vain if it never is. */
    const revoked = async () => {
      for (let i = 0; i < 1000 && urls.size > 0; i++) await new Promise((later) => setTimeout(later, 20));
    };
    const right = (digest) => equal(digest, blake3(message));
    const done = await (async () => { ${use} })();
    console.log(JSON.stringify({ done, made, left: urls.size }));
  `);
}

const silent = "class extends EventTarget { postMessage() {} terminate() {} }";
const hashed = "const done = right(await pool.hash(message)); await pool.close(); return done;";

it.each([
  ["have not been loaded when the pool is closed", silent, hashed],
  [
    "are closed while a hash is aborted",
    silent,
    `const controller = new AbortController();
     const hash = pool.hash(message, { signal: controller.signal }).catch((reason) => reason);
     await undefined;
     const closed = pool.close();
     controller.abort(true);
     await closed;
     return hash;`,
  ],
  ["cannot be made", "class { constructor() { throw new Error('TrustedScriptURL'); } }", hashed],
  [
    "cannot be sent to",
    "class extends EventTarget { postMessage() { throw new Error('no clone'); } terminate() {} }",
    hashed,
  ],
  [
    "cannot be loaded",
    "class extends EventTarget { constructor() { super(); setTimeout(() => this.dispatchEvent(new Event('error'))); } postMessage() {} terminate() {} }",
    `${hashed.replace("await pool.close();", "await revoked();")}`,
  ],
  [
    "have been loaded",
    `class extends EventTarget {
      postMessage() { setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data: { ready: true } }))); }
      terminate() {}
    }`,
    `await pool.hash(message, { signal: AbortSignal.timeout(30) }).catch(() => {});
     await revoked();
     return true;`,
  ],
])("of workers that %s", (_, workerClass, use) => {
  const { done, made, left } = urlsLeft(workerClass, use) as { done: unknown; made: number; left: number };
  expect(done).toBe(true);
  expect(made).toBeGreaterThan(0);
  expect(left).toBe(0);
});
