// User code that runs when one of the user's values is read: it hashes with the same algorithm, throws, or overflows
// the stack. The call gives the digest of the bytes that are really there, or throws a clear error, unless the value
// says something else of its bytes than is true; whatever it does, all other objects stay right.
import { toHex } from "blake-simd";
import { hmac } from "blake-simd/hmac";
import { describe, expect, it } from "vitest";
import { allCalls, library, withArrays } from "../support/calls/all.ts";
import { run, subjectOf, titleOf } from "../support/calls/call.ts";
import { Outcomes } from "../support/calls/outcomes.ts";
import { hostileBytes } from "../support/hostile.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { eachSubject, expected, keyOf, type Subject } from "../support/subjects.ts";

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

/** Getters and methods of a subclass that hash with the same algorithm, and with others' secrets. */
function subclassOf(act: () => void): new (bytes: Uint8Array) => Uint8Array {
  class Subclass extends Uint8Array {}
  for (const property of ["length", "byteLength", "byteOffset", "buffer", "constructor", "subarray", "slice"]) {
    const get = function (this: Uint8Array): unknown {
      act();
      return Reflect.get(Uint8Array.prototype, property, this);
    };
    Object.defineProperty(Subclass.prototype, property, { get });
  }
  return Subclass;
}

eachSubject((subject) => {
  const { algorithm, secretFrom } = subject;

  it.each([10, 1000, 60_000, 70_000, 2 ** 20])("a subclass of %i bytes whose getters hash spoils nothing", (length) => {
    const bytes = pattern(length);
    const wanted = algorithm(bytes);
    const secret = secretFrom(keyOf(64));
    const underSecret = algorithm(bytes, secret);
    const mac = hmac(algorithm, keyOf(32), bytes);
    const beside = algorithm.create().update(message.subarray(0, 200));
    let turns = 0;
    const input = new (subclassOf(() => {
      turns++;
      algorithm(message, secret);
      algorithm.create(secret).update(pattern(9000)).digest();
    }))(bytes);
    const hasher = algorithm.create();
    expectBytes(algorithm(input), wanted);
    expect(algorithm.hex(input)).toBe(toHex(wanted));
    expectBytes(algorithm.into(input, new Uint8Array(wanted.length)), wanted);
    for (const digest of algorithm.many([input, input])) expectBytes(digest, wanted);
    expectBytes(algorithm(input, secret), underSecret);
    expectBytes(hasher.update(input).digest(), wanted);
    expectBytes(hmac(algorithm, keyOf(32), input), mac);
    expectBytes(hmac.create(algorithm, keyOf(32)).update(input).digest(), mac);
    const before = pattern(7000);
    hasher.reset().update(before.subarray(0, 100)).update(before.subarray(100)).update(input);
    expectBytes(hasher.digest(), algorithm(Buffer.concat([before, bytes])));
    expectBytes(beside.update(message.subarray(200)).digest(), expected(subject, message));
    expect(turns).toBeGreaterThan(0);
  });
});
