// Interruptions of the built-ins by which the TypeScript copies and wipes bytes: the stack's end and time limits strike
// there, too.
import type { Moment, Trap } from "./traps.ts";

const bytes = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array;
const { set, fill } = bytes;

/** Throws in `set` or `fill`, as a {@link TrapSetter} does in exports. */
export class CopySetter {
  sprung: Trap | undefined;
  /** How many built-ins the last call took. */
  calls = 0;

  /** Makes a call whose built-in number `at`, counted from 0, throws. Returns how it ended. */
  call(call: () => unknown, at: number, moment: Moment): { value?: unknown; error?: unknown } {
    let calls = 0;
    this.sprung = undefined;
    const spring = (name: string, act: () => void, tear: () => void): void => {
      if (calls++ !== at) {
        act();
        return;
      }
      this.sprung = { name, bytes: new Uint8Array(), laterCalls: 0 };
      if (moment === "after") act();
      if (moment === "torn") tear();
      throw new RangeError("Maximum call stack size exceeded");
    };
    bytes.set = function (this: Uint8Array, ...args) {
      const act = () => set.apply(this, args);
      spring("set", act, act);
    };
    bytes.fill = function (this: Uint8Array, value, from = 0, to = this.length) {
      const half = () => void fill.call(this, value, from, from + Math.floor((to - from) / 2));
      spring("fill", () => void fill.call(this, value, from, to), half);
      return this;
    };
    try {
      return { value: call() };
    } catch (error) {
      return { error };
    } finally {
      this.calls = calls;
      Object.assign(bytes, { set, fill });
    }
  }
}
