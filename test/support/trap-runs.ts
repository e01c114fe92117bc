// A trap at each export that each call of an algorithm takes, or at some of them.
import type { Interruptions, Outcome } from "./overflow.mjs";
import { MOMENTS, type Moment, type TrapSetter } from "./traps.ts";

/** What sets traps: in exports, or in built-ins. */
type Setter = Pick<TrapSetter, "count" | "call" | "sprung">;

interface TrapReport {
  traps: number;
  /** The exports that have trapped. */
  readonly exports: Set<string>;
}

/** Where a trap is set: at an export that a call takes, counted from 0, while the call's own hasher owns the state or one beside it. */
interface Place {
  readonly call: number;
  readonly beside: number | undefined;
  readonly at: number;
  readonly moment: Moment;
}

function* placesOf(setter: Setter, interruptions: Interruptions): Generator<Place> {
  let turn = 0;
  for (let call = 0; call < interruptions.count; call++) {
    for (const neighbour of [false, true]) {
      const exports = countExports(setter, interruptions, call, neighbour ? 0 : undefined);
      for (let at = 0; at < exports; at++) {
        for (const moment of MOMENTS) {
          yield { call, beside: neighbour ? turn++ % interruptions.neighbours : undefined, at, moment };
        }
      }
    }
  }
}

function countExports(setter: Setter, interruptions: Interruptions, call: number, beside: number | undefined) {
  let exports = 0;
  const count = (make: () => unknown): Outcome => {
    let value: unknown;
    exports = setter.count(() => {
      value = make();
    });
    return { value };
  };
  interruptions.run(call, beside, count, "without a trap");
  return exports;
}

/**
 * Sets traps one by one; throws if anything is wrong after one of them.
 *
 * @param inspect is called after each
 * @param every one place of how many gets a trap
 */
export function trapEverywhere(
  setter: Setter,
  interruptions: Interruptions,
  inspect: (what: string) => void,
  every = 1,
): TrapReport {
  const report: TrapReport = { traps: 0, exports: new Set() };
  let number = 0;
  for (const place of placesOf(setter, interruptions)) {
    if (number++ % every === 0) trapAt(setter, interruptions, place, report, inspect);
  }
  return report;
}

function trapAt(
  setter: Setter,
  interruptions: Interruptions,
  { call, beside, at, moment }: Place,
  report: TrapReport,
  inspect: (what: string) => void,
): void {
  const trapped = (make: () => unknown) => setter.call(make, at, moment);
  const where = `a trap ${moment} call ${at} of an export, beside hasher ${beside}`;
  const { what, error } = interruptions.run(call, beside, trapped, where);
  const { sprung } = setter;
  // Which of the neighbours owns the state changes how many calls there are.
  if (!sprung) return;
  // A copy may be tried again in another way; an instance that has trapped is lost.
  if (!error && sprung.bytes.length > 0) throw new Error(`${what}, ${where}: the trap was not seen by the caller`);
  if (sprung.laterCalls > 0) throw new Error(`${what}, ${where}: the instance was called again`);
  if (sprung.bytes.some((byte) => byte !== 0)) throw new Error(`${what}, ${where}: the instance was not wiped`);
  inspect(`${what}, ${where}`);
  report.traps++;
  report.exports.add(sprung.name);
}
