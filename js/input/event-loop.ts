// Turns of the event loop.
import { atImport } from "./globals.js";

// As they were at import: tests replace timers by fake ones, whose time stands still.
const immediate = /* @__PURE__ */ atImport("setImmediate");
const timeout = /* @__PURE__ */ atImport("setTimeout");
const channels = /* @__PURE__ */ atImport("MessageChannel");

/** Yields to the event loop. A timer takes at least 4 ms in browsers, a message does not. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    const [setImmediate, MessageChannel, setTimeout] = [immediate(), channels(), timeout()];
    if (setImmediate) setImmediate(resolve);
    else if (MessageChannel) {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(undefined);
    } else if (setTimeout) setTimeout(resolve, 0);
    else resolve();
  });
}
