// Turns of the event loop.
import { readGlobal } from "./globals.js";

/** Yields to the event loop. A timer would take at least 4 ms in browsers. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    const asks: (() => unknown)[] = [
      () => globalThis.setImmediate(resolve),
      () => postToSelf(resolve),
      () => setTimeout(resolve, 0),
    ];
    asks.some((ask) => readGlobal(ask) !== undefined);
  });
}

function postToSelf(receive: () => void): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    receive();
  };
  port2.postMessage(undefined);
  return port1;
}
