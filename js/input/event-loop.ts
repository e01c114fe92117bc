// Turns of the event loop.
import { atImport, readGlobal } from "./globals.js";
import { OwnPromise } from "./promises.js";

// As they were at import: tests replace timers by some that wait to be told the time.
const immediate = /* @__PURE__ */ atImport("setImmediate");
const channels = /* @__PURE__ */ atImport("MessageChannel");
const timeout = /* @__PURE__ */ atImport("setTimeout");

/** Whether setImmediate has been seen to work: it may have been replaced before the import. */
let isImmediate = false;

/** Yields to the event loop. A timer would take at least 4 ms in browsers. */
export function yieldToEventLoop(): Promise<void> {
  return new OwnPromise((resolve) => {
    immediate()?.(() => {
      isImmediate = true;
      resolve();
    });
    if (!isImmediate && !readGlobal(() => postToSelf(resolve))) timeout()?.(resolve, 0);
  });
}

/** Returns true; throws where channels are missing or broken. */
function postToSelf(receive: () => void): boolean {
  const { port1, port2 } = new (channels() as typeof MessageChannel)();
  port1.onmessage = () => {
    port1.close();
    receive();
  };
  port2.postMessage(undefined);
  return true;
}
