// Traps in the middle of calls: an export of a kernel throws before it does anything, after it has done everything, or
// with what it writes in disorder. Instances are watched from outside, so the package needs no door.
import { FIRST_AREA, VALUES_AT } from "../../js/tree/kernel.ts";
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
    const wrap = (exports: WebAssembly.Exports, memory: WebAssembly.Memory, from: number) =>
      this.#wrap(exports, new Uint8Array(memory.buffer, from));
    const { Instance } = WebAssembly;
    WebAssembly.Instance = class {
      exports: WebAssembly.Exports;

      constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
        const { exports } = new Instance(module, imports);
        // The decoder of kernels' text is no kernel.
        if (exports.init) this.exports = wrap(exports, exports.memory as WebAssembly.Memory, 0);
        else if (exports.groups) this.exports = wrap(exports, imports!.env!.memory as WebAssembly.Memory, FIRST_AREA);
        else this.exports = exports;
      }
    } as typeof WebAssembly.Instance;
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

  #wrap(exports: WebAssembly.Exports, bytes: Uint8Array): WebAssembly.Exports {
    let own: Trap | undefined;
    const trapping = (name: string, real: (...args: number[]) => unknown) => {
      return (...args: number[]) => {
        if (own) own.laterCalls++;
        const set = this.#set;
        if (this.calls++ !== set?.at) return real(...args);
        own = { name, bytes, laterCalls: 0 };
        this.sprung = own;
        if (set.moment !== "before") real(...args);
        if (set.moment === "torn") (exports.init ? tear : tearSubtrees)(name, args, bytes);
        throw new WebAssembly.RuntimeError("unreachable");
      };
    };
    return Object.fromEntries(
      Object.entries(exports).map(([name, value]) => [
        name,
        typeof value === "function" && name !== "stackRestore"
          ? trapping(name, value as (...args: number[]) => unknown)
          : value,
      ]),
    );
  }
}

/** Spoils what an export of the subtrees' kernel writes: the C stack, and values. */
function tearSubtrees(name: string, args: readonly number[], bytes: Uint8Array): void {
  bytes.fill(0xa5, 0x3c00, 0x4000);
  if (name === "groups") bytes.fill(0xa5, (args[6] as number) - FIRST_AREA, (args[6] as number) - FIRST_AREA + 32);
  if (name === "merge") bytes.fill(0xa5, VALUES_AT, VALUES_AT + 64);
}

const map = memoryMap();
const address = (area: string): number => map.get(area)!;

/** Spoils what an export writes while it computes (wasm/memory.h): its state, if it changes one, and its areas. */
function tear(name: string, [first = 0]: readonly number[], bytes: Uint8Array): void {
  const fill = (from: number, to: number) => bytes.fill(0xa5, from, to);
  // The C stack lies under the parameters, the constants under the stack.
  fill(address("PARAMETERS") - 0x400, address("PARAMETERS"));
  if (name === "init" || name === "update") fill(first, first + 0x1000);
  if (name === "hash") fill(address("ONESHOT"), address("ROOT"));
  if (name === "root") fill(address("ROOT"), address("ROOT") + 0x100);
  if (name === "hash" || name === "many" || name === "finalize" || name === "squeeze") {
    fill(address("OUTPUT"), address("OUTPUT") + map.get("OUTPUT_SIZE")!);
  }
}
