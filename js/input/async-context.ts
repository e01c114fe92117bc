// The async context of a caller: what AsyncLocalStorage keeps for it.
import { builtin } from "./builtin.js";
import { readGlobal } from "./globals.js";

/**
 * Returns a function that calls `callback` in the async context of now, wherever it is called itself. Where Node's
 * modules are out of reach, as in workerd under a date before 2025, `callback` itself.
 */
export function inContext<Args extends unknown[], Result>(
  callback: (...args: Args) => Result,
): (...args: Args) => Result {
  return readGlobal(() => builtin("node:async_hooks")?.AsyncResource.bind(callback)) ?? callback;
}
