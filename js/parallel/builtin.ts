// Modules of Node's, in Node, Deno and Bun: got in a way that no bundler sees, so that none looks for them.

export type FileSystem = typeof import("node:fs");

interface Builtins {
  "node:fs": FileSystem;
  "node:net": typeof import("node:net");
  "node:os": typeof import("node:os");
  "node:url": typeof import("node:url");
  "node:worker_threads": typeof import("node:worker_threads");
}

/** The module, or undefined in a browser and in Node before 20.16. */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] | undefined {
  return globalThis.process?.getBuiltinModule?.(name);
}
