// Traps in the middle of calls: an export of a kernel throws before it does anything, after it has done everything, or with
// what it writes in disorder. Instances are watched from outside, so the package needs no door.
import { memoryMap } from "./memory.ts";

/** How far a call of an export comes before it traps. */
export type Moment = "before" | "after" | "torn";
export const MOMENTS: readonly Moment[] = ["before", "after", "torn"];

/** The trap that has been set off. */
export interface Trap {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Calls that the instance got later: there may be none. */
  laterCalls: number;
}

/** Throws in the exports of all instances that are made from now on. */
export class TrapSetter {
  /** Calls of exports since the trap was set, or removed. */
  calls = 0;
  /** The trap that the last call set off, if it did. */
  sprung: Trap | undefined;
  #set: { at: number; moment: Moment } | undefined;
  readonly #original = WebAssembly.Instance;

  constructor() {
    const wrap = (exports: WebAssembly.Exports) => this.#wrap(exports);
    const { Instance } = WebAssembly;
    WebAssembly.Instance = class {
      exports: WebAssembly.Exports;

      constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
        const { exports } = new Instance(module, imports);
        // The decoder of kernels' text is no kernel.
        this.exports = exports.init ? wrap(exports) : exports;
      }
    } as typeof WebAssembly.Instance;
  }

  /** Counts the exports that a call takes. */
  count(call: () => unknown): number {
    this.calls = 0;
    call();
    return this.calls;
  }

  /** Makes a call whose export number `at`, counted from 0, traps. Returns how it ended. */
  call(call: () => unknown, at: number, moment: Moment): { value?: unknown; error?: unknown } {
    this.calls = 0;
    this.sprung = undefined;
    this.#set = { at, moment };
    try {
      return { value: call() };
    } catch (error) {
      return { error };
    } finally {
      this.#set = undefined;
    }
  }

  restore(): void {
    WebAssembly.Instance = this.#original;
  }

  #wrap(exports: WebAssembly.Exports): WebAssembly.Exports {
    const bytes = new Uint8Array((exports.memory as WebAssembly.Memory).buffer);
    let own: Trap | undefined;
    const trapping = (name: string, real: (...args: number[]) => unknown) => {
      return (...args: number[]) => {
        if (own) own.laterCalls++;
        const set = this.#set;
        if (this.calls++ !== set?.at) return real(...args);
        own = { name, bytes, laterCalls: 0 };
        this.sprung = own;
        if (set.moment !== "before") real(...args);
        if (set.moment === "torn") tear(name, args, bytes);
        throw new WebAssembly.RuntimeError("unreachable");
      };
    };
    return Object.fromEntries(
      Object.entries(exports).map(([name, value]) => [
        name,
        typeof value === "function" ? trapping(name, value as (...args: number[]) => unknown) : value,
      ]),
    );
  }
}

const map = memoryMap();
const address = (area: string): number => map.get(area)!;

/** Spoils what an export writes while it computes (wasm/memory.h): its state, if it changes one, and its areas. */
function tear(name: string, [first = 0]: readonly number[], bytes: Uint8Array): void {
  const fill = (from: number, to: number) => bytes.fill(0xa5, from, to);
  // The C stack lies under the parameters, the constants under the stack.
  fill(address("PARAMETERS") - 0x400, address("PARAMETERS"));
  if (name === "init" || name === "update" || name === "join") fill(first, first + 0x1000);
  if (name === "hash") fill(address("ONESHOT"), address("ROOT"));
  if (name === "root") fill(address("ROOT"), address("WORKERS"));
  if (name === "many") fill(address("WORKERS"), address("WORKERS") + map.get("WORKERS_SIZE")!);
  if (name === "hash" || name === "many" || name === "finalize" || name === "squeeze" || name === "chain") {
    fill(address("OUTPUT"), address("OUTPUT") + map.get("OUTPUT_SIZE")!);
  }
}
