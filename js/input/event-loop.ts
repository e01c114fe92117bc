// Turns of the event loop.
import { builtin } from "./builtin.js";
import { atImport, readGlobal } from "./globals.js";
import { OwnPromise } from "./promises.js";

// As they were at import: tests replace timers by fake ones, whose time stands still.
const immediate = /* @__PURE__ */ atImport("setImmediate");
const channels = /* @__PURE__ */ atImport("MessageChannel");
const timeout = /* @__PURE__ */ atImport("setTimeout");

/** Ways to be called back in another turn, the best first. A timer takes at least 4 ms in browsers. Each may throw. */
const WAYS: readonly ((callback: () => void) => unknown)[] = [
  (callback) => (immediate() as typeof setImmediate)(callback),
  (callback) => {
    const { port1, port2 } = new (channels() as typeof MessageChannel)();
    port1.onmessage = () => {
      port1.close();
      callback();
    };
    port2.postMessage(undefined);
  },
  (callback) => (timeout() as typeof setTimeout)(callback, 0),
  (callback) => (builtin("node:timers") as typeof import("node:timers")).setImmediate(callback),
];

/** The best way that has worked. Those before it may have been replaced before the import, and never call back. */
let working = WAYS.length;

/** Yields to the event loop, if there is any way. */
export function yieldToEventLoop(): Promise<void> {
  return new OwnPromise((resolve) => {
    let begun = 0;
    for (let i = 0; i < WAYS.length && i <= working; i++) {
      const way = WAYS[i] as (typeof WAYS)[number];
      const callback = (): void => {
        working = Math.min(working, i);
        resolve();
      };
      readGlobal(() => {
        way(callback);
        begun++;
      });
    }
    if (begun === 0) resolve();
  });
}
