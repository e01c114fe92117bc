// A state machine: hashers of one algorithm in every mode, used in any order, with one-shots and changes of backend in
// between, against a model that keeps each hasher's message.
import { type Hasher, useBackend } from "blake-simd";
import fc from "fast-check";
import { expect, it } from "vitest";
import { BACKENDS } from "../support/backends.ts";
import { AREA, expectBytes, pattern } from "../support/messages.ts";
import { type CommonOptions, eachSubject, expected, type Subject } from "../support/subjects.ts";

const message = pattern(2 * AREA + 251);

/** A hasher, and what it ought to be. */
interface Entry {
  readonly hasher: Hasher;
  readonly options: CommonOptions;
  pieces: Uint8Array[];
  disposed: boolean;
}

/** One step: a name, and numbers of which the action takes what it needs. */
interface Step {
  readonly action: Action;
  readonly index: number;
  readonly mode: number;
  readonly from: number;
  readonly length: number;
}

class World {
  readonly subject: Subject;
  readonly entries: Entry[] = [];

  constructor(subject: Subject) {
    this.subject = subject;
    this.add(subject.algorithm.create(), {}, []);
  }

  add(hasher: Hasher, options: CommonOptions, pieces: Uint8Array[]): void {
    this.entries.push({ hasher, options, pieces, disposed: false });
  }

  options({ mode }: Step): CommonOptions {
    return this.subject.modes[mode % this.subject.modes.length]!;
  }

  wanted({ pieces, options }: Entry): Uint8Array {
    return expected(this.subject, Buffer.concat(pieces), options);
  }
}

const piece = ({ from, length }: Step) => message.subarray(from, from + length);

/** What can be done to a hasher that has not been disposed of. */
const onHasher = {
  update({ hasher, pieces }: Entry, step: Step) {
    hasher.update(piece(step));
    pieces.push(piece(step));
  },
  updateWrongly({ hasher }: Entry) {
    const count = hasher.bytesHashed;
    expect(() => hasher.update(5 as never)).toThrow("input must be");
    expect(hasher.bytesHashed).toBe(count);
  },
  digest(entry: Entry, _: Step, world: World) {
    expectBytes(entry.hasher.digest(), world.wanted(entry));
  },
  digestInto(entry: Entry, _: Step, world: World) {
    expectBytes(entry.hasher.digestInto(new Uint8Array(entry.hasher.digestLength)), world.wanted(entry));
  },
  count({ hasher, pieces }: Entry) {
    expect(hasher.bytesHashed).toBe(BigInt(Buffer.concat(pieces).length));
  },
  clone({ hasher, options, pieces }: Entry, _: Step, world: World) {
    world.add(hasher.clone(), options, [...pieces]);
  },
  reset(entry: Entry) {
    entry.hasher.reset();
    entry.pieces = [];
  },
};

/** What can be done at any time. */
const always = {
  dispose(entry: Entry) {
    entry.hasher.dispose();
    entry.disposed = true;
  },
  create(_: Entry, step: Step, world: World) {
    world.add(world.subject.algorithm.create(world.options(step)), world.options(step), []);
  },
  oneShot(_: Entry, step: Step, world: World) {
    const options = world.options(step);
    expectBytes(world.subject.algorithm(piece(step), options), expected(world.subject, piece(step), options));
  },
  useBackend(_: Entry, { mode }: Step) {
    useBackend(BACKENDS[mode % 2]!);
  },
};

const actions = { ...onHasher, ...always };
type Action = keyof typeof actions;

function run(world: World, step: Step): void {
  const entry = world.entries[step.index % world.entries.length]!;
  const act = () => actions[step.action](entry, step, world);
  if (entry.disposed && step.action in onHasher) expect(act).toThrow(/was disposed/);
  else act();
}

function stepOf({ blockLength, chunkLength }: Subject): fc.Arbitrary<Step> {
  return fc.record({
    action: fc.oneof(
      { weight: 4, arbitrary: fc.constant<Action>("update") },
      { weight: 9, arbitrary: fc.constantFrom(...(Object.keys(actions) as Action[])) },
    ),
    index: fc.nat(1000),
    mode: fc.nat(1000),
    from: fc.nat(250),
    length: fc.oneof(
      { weight: 8, arbitrary: fc.nat(2 * blockLength) },
      { weight: 4, arbitrary: fc.nat(4 * chunkLength) },
      { weight: 1, arbitrary: fc.nat(2 * AREA) },
    ),
  });
}

eachSubject((subject) => {
  it("does what the model does, in any order of steps", () => {
    fc.assert(
      fc.property(fc.array(stepOf(subject), { maxLength: 60, size: "max" }), (steps) => {
        const world = new World(subject);
        for (const step of steps) run(world, step);
        for (const entry of world.entries) {
          if (!entry.disposed) expectBytes(entry.hasher.digest(), world.wanted(entry));
        }
      }),
      { numRuns: 100 },
    );
  });
});
