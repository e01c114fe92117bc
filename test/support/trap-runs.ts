// A trap at each export that each call of an algorithm takes.
import type { Interruptions, Outcome } from "./overflow.mjs";
import { MOMENTS, type Moment, type TrapSetter } from "./traps.ts";

export interface TrapReport {
  traps: number;
  /** The exports that have trapped. */
  readonly exports: Set<string>;
}

/** Sets traps one by one; throws if anything is wrong after one of them. */
export function trapEverywhere(setter: TrapSetter, interruptions: Interruptions): TrapReport {
  const report: TrapReport = { traps: 0, exports: new Set() };
  let turn = 0;
  for (let index = 0; index < interruptions.count; index++) {
    // The call's own hasher owns the state, or hashers beside it do, one after the other.
    for (const neighbour of [false, true]) {
      const beside = () => (neighbour ? turn++ % interruptions.neighbours : undefined);
      const calls = countCalls(setter, interruptions, index, neighbour ? 0 : undefined);
      for (let at = 0; at < calls; at++) {
        for (const moment of MOMENTS) trapOnce(setter, interruptions, index, beside(), at, moment, report);
      }
    }
  }
  return report;
}

function countCalls(setter: TrapSetter, interruptions: Interruptions, index: number, beside: number | undefined) {
  let calls = 0;
  const count = (call: () => unknown): Outcome => {
    let value: unknown;
    calls = setter.count(() => {
      value = call();
    });
    return { value };
  };
  interruptions.run(index, beside, count, "without a trap");
  return calls;
}

function trapOnce(
  setter: TrapSetter,
  interruptions: Interruptions,
  index: number,
  beside: number | undefined,
  at: number,
  moment: Moment,
  report: TrapReport,
): void {
  const trapped = (call: () => unknown) => setter.call(call, at, moment);
  const where = `a trap ${moment} call ${at} of an export, beside hasher ${beside}`;
  const { what, error } = interruptions.run(index, beside, trapped, where);
  const { sprung } = setter;
  // Which of the neighbours owns the state changes how many calls there are.
  if (!sprung) return;
  if (!error) throw new Error(`${what}, ${where}: the trap was not seen by the caller`);
  if (sprung.laterCalls > 0) throw new Error(`${what}, ${where}: the instance was called again`);
  if (sprung.bytes.some((byte) => byte !== 0)) throw new Error(`${what}, ${where}: the instance was not wiped`);
  report.traps++;
  report.exports.add(sprung.name);
}
