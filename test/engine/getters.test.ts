// User code that runs when one of the user's values is read: it hashes with the same algorithm, throws, or overflows
// the stack. The call gives the digest of the bytes that are really there, or throws a clear error, unless the value
// says something else of its bytes than is true; whatever it does, all other objects stay right. What such code does to a caller's memory is in test/guard/changing-memory.test.ts.
import { describe, expect, it } from "vitest";
import { allCalls, library, withArrays } from "../support/calls/all.ts";
import { run, subjectOf, titleOf } from "../support/calls/call.ts";
import { Outcomes } from "../support/calls/outcomes.ts";
import { hostileBytes } from "../support/hostile.ts";
import { pattern } from "../support/messages.ts";
import { keyOf, type Subject } from "../support/subjects.ts";

const message = pattern(300);
/** Longer arrays are read in the same places. */
const LONGEST = 3000;
/** What that code throws, and the engine for what poses as an array. */
const OWN = /^from a getter$|call stack|incompatible receiver|not a typed array/;

/** What the code of the user's does. */
function actOf({ algorithm, secretFrom }: Subject): (turn: number) => void {
  const secret = secretFrom(keyOf(64).map((byte) => byte ^ 85));
  const other = algorithm.create(secret);
  const overflow = (): unknown => [overflow()];
  return (turn) => {
    // A few overflows are enough: each fills the whole stack.
    if (turn % 48 === 5) overflow();
    if (turn % 3 === 2) throw new Error("from a getter");
    algorithm(message);
    algorithm.many(new Array(20).fill(message), secret);
    other.reset().update(message).digest();
  };
}

const short = withArrays(allCalls).filter(({ arrays }) =>
  Object.values(arrays).every(({ length }) => length <= LONGEST),
);

describe("code of the user's in an array of", () => {
  it.each(short.map((call) => [titleOf(call), call] as const))("%s", async (_, call) => {
    const act = actOf(subjectOf(call));
    let turn = 0;
    const outcomes = new Outcomes(call, library);
    await outcomes.of(() => run(call));
    let given = 0;
    for (const [array, bytes] of Object.entries(call.arrays)) {
      for (const { how, value, isLie } of hostileBytes(bytes, () => act(turn))) {
        turn++;
        const result = async () => {
          const all = await run(call, { ...call.arrays, [array]: value as Uint8Array });
          given++;
          return all;
        };
        const change = { name: how, after: () => bytes };
        await outcomes.of(result, () => ({ name: array, change, own: OWN, isUnspecified: isLie }));
      }
    }
    expect(outcomes.problems, outcomes.problems.join("\n")).toEqual([]);
    expect(given).toBeGreaterThan(0);
  });
});
