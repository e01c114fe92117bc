// The async context of a caller, as AsyncLocalStorage keeps it.
import { builtin } from "./builtin.js";
import { readGlobal } from "./globals.js";

/**
 * Returns a function that calls `callback` in the current async context, wherever it is called itself. Without access
 * to Node's modules, as in workerd with a compatibility date before 2025, returns `callback` itself.
 */
export function inContext<Args extends unknown[], Result>(
  callback: (...args: Args) => Result,
): (...args: Args) => Result {
  return readGlobal(() => builtin("node:async_hooks")?.AsyncResource.bind(callback)) ?? callback;
}
