// Node's modules, in Node, Deno and Bun, loaded in a way that bundlers do not see and so do not try to resolve.

import { readGlobal } from "./globals.js";

export type FileSystem = typeof import("node:fs");

interface Builtins {
  "node:async_hooks": typeof import("node:async_hooks");
  "node:crypto": typeof import("node:crypto");
  "node:fs": FileSystem;
  "node:os": typeof import("node:os");
  "node:url": typeof import("node:url");
  "node:worker_threads": typeof import("node:worker_threads");
}

/** Returns the module, or undefined in a browser, in Node before 20.16, or in a sandbox that forbids it. */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] | undefined {
  return readGlobal(() => globalThis.process.getBuiltinModule(name));
}
