// The list of faults: kinds of what interrupts a call, set at each place in each call, or at some of them.
import { createContext, runInContext } from "node:vm";
import { expect } from "vitest";
import type { Watched } from "./memory.ts";
import { type Faults, type Outcome, secretTokens } from "./overflow.mjs";
import { MOMENTS, type Moment, type TrapSetter } from "./traps.ts";

/** What sets traps: in exports, or in built-ins. */
export type Setter = Pick<TrapSetter, "call" | "sprung" | "calls">;

export interface TrapReport {
  traps: number;
  /** The exports that have trapped. */
  readonly exports: Set<string>;
}

/**
 * Where a trap is set: at an export that a call takes, counted from 0, while the call's own hasher owns the state or
 * one beside it.
 */
interface Place {
  readonly call: number;
  readonly beside: number | undefined;
  readonly at: number;
  readonly moment: Moment;
}

function* placesOf(setter: Setter, faults: Faults): Generator<Place> {
  let turn = 0;
  for (let call = 0; call < faults.count; call++) {
    for (const neighbour of [false, true]) {
      let exports = 0;
      const count = (act: () => unknown): Outcome => {
        const outcome = setter.call(act, -1, "before");
        exports = setter.calls;
        return outcome;
      };
      faults.run(call, neighbour ? 0 : undefined, count, "without a trap");
      for (let at = 0; at < exports; at++) {
        for (const moment of MOMENTS) {
          yield { call, beside: neighbour ? turn++ % faults.neighbours : undefined, at, moment };
        }
      }
    }
  }
}

/**
 * Sets traps one by one; throws if anything is wrong after one of them.
 *
 * @param inspect is called after each
 * @param every one place of how many gets a trap
 */
export function trapEverywhere(setter: Setter, faults: Faults, inspect: (what: string) => void, every = 1): TrapReport {
  const report: TrapReport = { traps: 0, exports: new Set() };
  let number = 0;
  for (const { call, beside, at, moment } of placesOf(setter, faults)) {
    if (number++ % every > 0) continue;
    const where = `a trap ${moment} call ${at} of an export, beside hasher ${beside}`;
    const { what, error } = faults.run(call, beside, (act) => setter.call(act, at, moment), where);
    const { sprung } = setter;
    // Which of the neighbours owns the state changes how many calls there are.
    if (!sprung) continue;
    const problem =
      // A copy may be tried again in another way; an instance that has trapped is lost.
      (!error && sprung.bytes.length > 0 && "the trap was not seen by the caller") ||
      (sprung.laterCalls > 0 && "the instance was called again") ||
      (sprung.bytes.some((byte) => byte !== 0) && "the instance was not wiped");
    if (problem) throw new Error(`${what}, ${where}: ${problem}`);
    inspect(`${what}, ${where}`);
    report.traps++;
    report.exports.add(sprung.name);
  }
  return report;
}

/** A time limit of node:vm, after which no `finally` runs. */
export const timeLimit =
  (milliseconds: number) =>
  (act: () => unknown): Outcome => {
    let complete: Outcome | undefined;
    const call = () => {
      complete = { value: act() };
    };
    try {
      runInContext("call()", createContext({ call }), { timeout: milliseconds });
    } catch (error) {
      // It may strike after the call.
      return complete ?? { error };
    }
    return complete!;
  };

// Where an instance that is in use has constants; one that has been replaced is all zeros.
const CONSTANTS = [0x400, 0x500] as const;
// One kernel of each module is in use, before and after a change of backends.
const MOST = 10;

/** Finds no secret in any instance's memory, and lets those go that are not used any more: theirs is zero. */
export function inspector(instances: Watched[]): (what: string) => void {
  const tokens = secretTokens();
  return (what) => {
    for (const { bytes } of instances) {
      const memory = Buffer.from(bytes.buffer);
      for (const token of tokens) {
        const at = memory.indexOf(token);
        if (at >= 0) expect.fail(`${what}: a secret is left in memory at 0x${at.toString(16)}`);
      }
    }
    const used = instances.filter(({ bytes }) => bytes.subarray(...CONSTANTS).some((byte) => byte !== 0)).slice(-MOST);
    instances.splice(0, instances.length, ...used);
    for (const { calls } of used) calls.length = 0;
  };
}
