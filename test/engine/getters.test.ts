// User code that runs when one of the user's values is read: it hashes with the same algorithm, throws, overflows
// the stack, or changes a different argument. The call gives the digest of the bytes that are really there, or throws; whatever
// it does, all other objects stay right.
import type { Algorithm, Hasher, Xof } from "blake-simd";
import * as main from "blake-simd";
import * as hazmat from "blake-simd/hazmat";
import { restore, save } from "blake-simd/states";
import { VerifyStream } from "blake-simd/streams";
import { describe, expect, it } from "vitest";
import { hostileBytes, trueBytes } from "../support/hostile.ts";
import { pattern, same } from "../support/messages.ts";
import { Neighbours } from "../support/overflow.mjs";
import { oracle } from "../support/overflow-inspection.ts";
import { type CommonOptions, eachSubject, expected, keyOf, type Subject } from "../support/subjects.ts";

const message = pattern(300);
const input = pattern(64).map((byte) => byte + 1);

type Options = CommonOptions & { personal?: Uint8Array };

/** Where a value is read: what the call gives, and what that ought to be. */
interface Place {
  readonly where: string;
  /** What the value really holds. */
  readonly bytes: Uint8Array;
  call(value: never): Uint8Array;
  /** What the call gives for the bytes, from elsewhere. */
  readonly wanted: Uint8Array;
}

function placesOf(subject: Subject): Place[] {
  const { algorithm, digestLength } = subject;
  const secret = subject.secretFrom(keyOf(64));
  const plainly = expected(subject, input);
  const ofMessage = expected(subject, message);
  const underSecret = expected(subject, input, secret);
  const room = new Uint8Array(digestLength);
  const places: Place[] = [
    { where: "input", bytes: input, call: (value) => algorithm(value), wanted: plainly },
    { where: "input under a secret", bytes: input, call: (value) => algorithm(value, secret), wanted: underSecret },
    { where: "input of into", bytes: input, call: (value) => algorithm.into(value, room), wanted: plainly },
    { where: "inputs of many", bytes: input, call: (value) => algorithm.many(["a", value, "b"])[1]!, wanted: plainly },
    {
      where: "inputs of many under a secret",
      bytes: input,
      call: (value) => algorithm.many(new Array(20).fill(value), secret)[19]!,
      wanted: underSecret,
    },
    { where: "update", bytes: input, call: (value) => algorithm.create().update(value).digest(), wanted: plainly },
    {
      where: "output of into",
      bytes: room,
      call: (value) => intoOutput(value, (it) => algorithm.into(message, it)),
      wanted: ofMessage,
    },
    {
      where: "output of into under a secret",
      bytes: room,
      call: (value) => intoOutput(value, (it) => algorithm.into(input, it, secret)),
      wanted: underSecret,
    },
    {
      where: "output of digestInto",
      bytes: room,
      call: (value) => intoOutput(value, (it) => algorithm.create().update(message).digestInto(it)),
      wanted: ofMessage,
    },
    ...optionPlaces(subject),
  ];
  if (subject.longest > 200) places.push(...readerPlaces(subject));
  if (subject.name === "blake3") places.push(...hazmatPlaces(subject));
  return places;
}

function intoOutput(value: Uint8Array, write: (output: Uint8Array) => void): Uint8Array {
  write(value);
  return trueBytes(value);
}

/** Each option that is bytes, in the call, `create` and `into`. */
function optionPlaces(subject: Subject): Place[] {
  const { algorithm, name } = subject;
  const options: Options[] = [subject.secretFrom(keyOf(64))];
  if (/^blake2x?[bs]$/.test(name)) options.push({ salt: keyOf(8) }, { personal: keyOf(8) });
  if (name === "blake3") options.push({ context: keyOf(45) });
  return options.flatMap((option) => {
    const [[key, bytes]] = Object.entries(option) as [[string, Uint8Array]];
    // The oracle has no salt and no personal here: the plain call, which other suites check, has them.
    const wanted =
      /^blake2[bs]$/.test(name) && key !== "key" ? algorithm(input, option) : expected(subject, input, option);
    const place = (where: string, call: (options: CommonOptions) => Uint8Array): Place => ({
      where: `${key} of ${where}`,
      bytes,
      call: (value) => call({ [key]: value }),
      wanted,
    });
    return [
      place("the call", (options) => algorithm(input, options)),
      place("create", (options) => algorithm.create(options).update(input).digest()),
      place("into", (options) => algorithm.into(input, new Uint8Array(subject.digestLength), options)),
      place("many", (options) => algorithm.many(new Array(20).fill(input), options)[19]!),
    ];
  });
}

function readerPlaces(subject: Subject): Place[] {
  const options = { length: 200 };
  const create = () => subject.algorithm.create(options) as Hasher & { xof(): Xof };
  return [
    {
      where: "output of readInto",
      bytes: new Uint8Array(200),
      call: (value) => intoOutput(value, (it) => create().update(message).xof().readInto(it)),
      wanted: expected(subject, message, options),
    },
  ];
}

function hazmatPlaces(subject: Subject): Place[] {
  const { chainingValue, rootOf, rootXof, SubtreeHasher } = hazmat;
  const [left, right] = [pattern(1024), pattern(500)];
  const leftValue = chainingValue(left);
  const rightValue = chainingValue(right, { offset: 1024 });
  const wanted = expected(subject, Buffer.concat([left, right]));
  const key = keyOf(32);
  const keyed = expected(subject, Buffer.concat([left, right]), { key });
  return [
    { where: "input of chainingValue", bytes: left, call: (value) => rootOf(chainingValue(value), rightValue), wanted },
    {
      where: "input of a SubtreeHasher",
      bytes: left,
      call: (value) => rootOf(new SubtreeHasher().update(value).chainingValue(), rightValue),
      wanted,
    },
    {
      where: "key of chainingValue",
      bytes: key,
      call: (value) =>
        rootOf(chainingValue(left, { key: value }), chainingValue(right, { key, offset: 1024 }), { key }),
      wanted: keyed,
    },
    { where: "left of rootOf", bytes: leftValue, call: (value) => rootOf(value, rightValue), wanted },
    { where: "right of rootOf", bytes: rightValue, call: (value) => rootOf(leftValue, value), wanted },
    { where: "left of rootXof", bytes: leftValue, call: (value) => rootXof(value, rightValue).read(32), wanted },
    {
      where: "right of mergeSubtrees",
      bytes: rightValue,
      call: (value) => merged(leftValue, value),
      wanted: merged(leftValue, rightValue),
    },
  ];
}

function merged(left: Uint8Array, right: Uint8Array): Uint8Array {
  return hazmat.mergeSubtrees(left, right);
}

/** What the code of the user's does. */
function actsOf({ algorithm, secretFrom }: Subject): Record<string, () => void> {
  const secret = secretFrom(keyOf(64).map((byte) => byte ^ 85));
  const other = algorithm.create(secret);
  let count = 0;
  const overflow = (): unknown => [overflow()];
  return {
    hashes() {
      algorithm(message);
      algorithm(message, secret);
      algorithm.many(new Array(20).fill(message), secret);
      other.reset().update(message).digest();
    },
    throws() {
      throw new Error("from a getter");
    },
    // A few times are enough: each fills the whole stack.
    overflows() {
      if (++count % 8 === 0) overflow();
    },
  };
}

function attempt(place: Place, value: unknown): Uint8Array | undefined {
  try {
    return place.call(value as never);
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return undefined;
  }
}

eachSubject((subject) => {
  describe.each(Object.entries(actsOf(subject)))("code of the user's that %s", (_, act) => {
    it.each(placesOf(subject).map((place) => [place.where, place] as const))("in %s", (where, place) => {
      const neighbours = new Neighbours(main, subject.name, oracle);
      let given = 0;
      for (const [i, { how, value }] of hostileBytes(place.bytes, act).entries()) {
        neighbours.prepare(i);
        const got = attempt(place, value);
        if (got) given++;
        if (got && !same(got, place.wanted)) expect.fail(`${where}, ${how}: ${Buffer.from(got).toString("hex")}`);
        if (i % 16 === 0) neighbours.check(`${where}, ${how}`);
      }
      neighbours.check(where);
      expect(given).toBeGreaterThan(0);
    });
  });
});

/** Options that do something when one of them is read, and are then what they are. */
function meddling(options: Options & { length?: number }, act: () => void): Options {
  return new Proxy(options, {
    get(target, key) {
      act();
      return Reflect.get(target, key);
    },
  });
}

function resizable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(new ArrayBuffer(bytes.length, { maxByteLength: 1000 } as never));
  copy.set(bytes);
  return copy;
}

const CHANGES: Record<string, (buffer: ArrayBuffer) => void> = {
  shrinks: (buffer) => (buffer as ArrayBuffer & { resize(length: number): void }).resize(3),
  empties: (buffer) => (buffer as ArrayBuffer & { resize(length: number): void }).resize(0),
  grows: (buffer) => (buffer as ArrayBuffer & { resize(length: number): void }).resize(1000),
  detaches: (buffer) => void structuredClone(buffer, { transfer: [buffer] }),
};

type Call = (algorithm: Algorithm<CommonOptions>, value: Uint8Array, options: Options) => Uint8Array;

const CALLS: Record<string, Call> = {
  call: (algorithm, value, options) => algorithm(value, options),
  into: (algorithm, value, options) => algorithm.into(value, new Uint8Array(algorithm.digestLength), options),
  many: (algorithm, value, options) => algorithm.many(["x", value], options)[1]!,
};

eachSubject((subject) => {
  const { algorithm } = subject;
  const secret = subject.secretFrom(keyOf(64));

  describe.each(Object.entries(CHANGES))("an option's getter that %s", (_, change) => {
    it.each(Object.entries(CALLS))("the input of %s", (where, call) => {
      const neighbours = new Neighbours(main, subject.name, oracle);
      for (const length of [1, 64, 300, 900]) {
        const value = resizable(pattern(length));
        neighbours.prepare(length);
        let got: Uint8Array | undefined;
        try {
          got = call(
            algorithm,
            value,
            meddling(secret, () => change(value.buffer)),
          );
        } catch (error) {
          expect((error as Error).message).toMatch(/input.*(must|keep)/);
        }
        if (got) expect([expected(subject, value, secret)]).toContainEqual(new Uint8Array(got));
        neighbours.check(where);
      }
    });

    it("the output of into", () => {
      const neighbours = new Neighbours(main, subject.name, oracle);
      const output = resizable(new Uint8Array(subject.digestLength));
      neighbours.prepare(0);
      try {
        algorithm.into(
          input,
          output,
          meddling(secret, () => change(output.buffer)),
        );
        expect(output.subarray(0, subject.digestLength)).toEqual(expected(subject, input, secret));
      } catch (error) {
        expect((error as Error).message).toMatch(/output must (have at least|be a Uint8Array, got a detached)/);
      }
      neighbours.check("output");
    });
  });
});

describe("what a getter disposes of", () => {
  eachSubject(({ algorithm }) => {
    it.each(["update", "digestInto"] as const)("the hasher in its own %s", (method) => {
      const hasher = algorithm.create().update(message);
      const bytes = Object.defineProperty(new Uint8Array(64), "length", {
        get() {
          hasher.dispose();
          return 64;
        },
      });
      expect(() => hasher[method](bytes)).toThrow(`${algorithm.algorithm} hasher.${method}: the hasher was disposed`);
      expect(new Uint8Array(bytes.buffer)).toEqual(new Uint8Array(64));
    });
  });
});

describe("a clone of a hasher whose own constructor is a getter that disposes of it", () => {
  eachSubject(({ algorithm, secretFrom }) => {
    it("is refused", () => {
      const hasher = algorithm.create(secretFrom(keyOf(64))).update(message);
      const Class = hasher.constructor;
      Object.defineProperty(hasher, "constructor", {
        get() {
          hasher.dispose();
          return Class;
        },
      });
      expect(() => hasher.clone()).toThrow(`${algorithm.algorithm} hasher.clone: the hasher was disposed`);
    });
  });
});

describe("VerifyStream's expected digest", () => {
  eachSubject((subject) => {
    it("is what its bytes are", async () => {
      const digest = expected(subject, message);
      for (const act of Object.values(actsOf(subject))) {
        for (const { how, value } of hostileBytes(digest, act)) {
          let stream: VerifyStream;
          try {
            stream = new VerifyStream(subject.algorithm, value as Uint8Array);
          } catch {
            continue;
          }
          const source = new Blob([message as Uint8Array<ArrayBuffer>]).stream();
          const done = source.pipeThrough(stream).pipeTo(new WritableStream());
          await expect(done, how).resolves.toBeUndefined();
        }
      }
    });
  });
});

describe("restore", () => {
  eachSubject((subject) => {
    it("reads the bytes that are there", () => {
      const neighbours = new Neighbours(main, subject.name, oracle);
      const saved = save(subject.algorithm.create().update(message));
      for (const act of Object.values(actsOf(subject))) {
        for (const [i, { how, value }] of hostileBytes(saved, act).entries()) {
          neighbours.prepare(i);
          let got: Uint8Array | undefined;
          try {
            got = restore(subject.algorithm, value as Uint8Array).digest();
          } catch (error) {
            expect(error).toBeInstanceOf(Error);
          }
          if (got && !same(got, expected(subject, message))) expect.fail(how);
          if (i % 10 === 0) neighbours.check(how);
        }
      }
    });
  });
});
