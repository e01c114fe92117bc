// User values that run code while they are read: subclasses, own properties, proxies, views of a different realm.
import { runInNewContext } from "node:vm";

interface Hostile {
  readonly how: string;
  readonly value: unknown;
  /** Where the bytes really lie. */
  readonly bytes: Uint8Array;
  /** It says something else of them, so that the result is unspecified. */
  readonly isLie: boolean;
}

type Act = () => void;

const PROPERTIES = ["length", "byteLength", "byteOffset", "buffer", "constructor"] as const;
const TAG = Symbol.toStringTag;

/** What a getter says after the act: the truth, and lies of every kind. */
const ANSWERS: Record<string, (truth: unknown) => unknown> = {
  "the truth": (truth) => truth,
  "one more": (truth) => Number(truth) + 1,
  zero: () => 0,
  "2^32": () => 2 ** 32,
};

const TRUTH = { "the truth": (truth: unknown) => truth };

function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

/** A Uint8Array whose class, or itself, has a getter. */
function withGetters(bytes: Uint8Array, act: Act): Hostile[] {
  return PROPERTIES.flatMap((property) =>
    Object.entries(property.endsWith("ength") ? ANSWERS : TRUTH).flatMap(([answer, say]) => {
      const get = function (this: Uint8Array): unknown {
        act();
        return say(Reflect.get(Uint8Array.prototype, property, this));
      };
      class Subclass extends Uint8Array {}
      Object.defineProperty(Subclass.prototype, property, { get });
      const ofClass = new Subclass(copyOf(bytes).buffer);
      const own = Object.defineProperty(copyOf(bytes), property, { get });
      const how = `${property} says ${answer}`;
      const isLie = answer !== "the truth";
      return [
        { how: `a subclass whose ${how}`, value: ofClass, bytes, isLie },
        { how: `an array whose own ${how}`, value: own, bytes, isLie },
      ];
    }),
  );
}

function after<T>(act: Act, say: () => T): T {
  act();
  return say();
}

/** What such a view says of itself. */
const LIES = /^an? (DataView|array without a prototype|Uint16Array that poses as a Uint8Array)$/;

/** A view whose kind is in question. */
function disguised(bytes: Uint8Array, act: Act): Hostile[] {
  const get = () => {
    act();
    return "Uint8Array";
  };
  const proxied = new Proxy(Object.getPrototypeOf(copyOf(bytes)), {
    getPrototypeOf(target) {
      act();
      return Reflect.getPrototypeOf(target);
    },
    get(target, property, receiver) {
      act();
      return Reflect.get(target, property, receiver);
    },
  });
  const list: [how: string, value: unknown][] = [
    [
      "a proxy of an array",
      new Proxy(copyOf(bytes), { get: (target, key) => after(act, () => Reflect.get(target, key)) }),
    ],
    ["an array with a tag of its own", Object.defineProperty(copyOf(bytes), TAG, { get })],
    ["a plain object with that tag", Object.defineProperty({ length: bytes.length }, TAG, { get })],
    ["an array without a prototype", Object.setPrototypeOf(copyOf(bytes), null)],
    ["an array whose prototype is a proxy", Object.setPrototypeOf(copyOf(bytes), proxied)],
    ["an array that poses as a Uint16Array", Object.setPrototypeOf(copyOf(bytes), Uint16Array.prototype)],
    [
      "a DataView that poses as a Uint8Array",
      Object.setPrototypeOf(new DataView(copyOf(bytes).buffer), Uint8Array.prototype),
    ],
    [
      "a DataView",
      Object.defineProperty(new DataView(copyOf(bytes).buffer), "byteLength", { get: () => after(act, () => 1) }),
    ],
    ["an ArrayBuffer", Object.defineProperty(copyOf(bytes).buffer, "byteLength", { get: () => after(act, () => 1) })],
  ];
  if (bytes.length % 2 === 0) {
    const wide = () => new Uint16Array(copyOf(bytes).buffer);
    list.push(["a Uint16Array that poses as a Uint8Array", Object.setPrototypeOf(wide(), Uint8Array.prototype)]);
    list.push([
      "a Uint16Array",
      Object.defineProperty(wide(), "length", { get: () => after(act, () => bytes.length) }),
    ]);
  }
  return list.map(([how, value]) => ({ how, value, bytes, isLie: LIES.test(how) }));
}

/** Views of a different realm, with getters there. */
function foreign(bytes: Uint8Array, act: Act): Hostile[] {
  const make = runInNewContext(`(list, act) => {
    class Subclass extends Uint8Array {
      get length() { act(); return super.length; }
      get byteLength() { act(); return super.byteLength; }
    }
    return [Uint8Array.from(list), Subclass.from(list)];
  }`) as (list: number[], act: Act) => unknown[];
  const [plain, subclass] = make([...bytes], act);
  return [
    { how: "an array of another realm", value: plain, bytes, isLie: false },
    { how: "a subclass of another realm", value: subclass, bytes, isLie: false },
  ];
}

/** The same bytes in every disguise; each runs an act when it is read. */
export function hostileBytes(bytes: Uint8Array, act: Act): Hostile[] {
  const all = [...withGetters(bytes, act), ...disguised(bytes, act), ...foreign(bytes, act)];
  // Lies last: what they have interrupted may be of no more use.
  return all.sort((a, b) => Number(a.isLie) - Number(b.isLie));
}

/** What a hostile value's memory holds, read by the engine's own getters. */
export function trueBytes(value: unknown): Uint8Array {
  if (!ArrayBuffer.isView(value)) return new Uint8Array(value as ArrayBuffer);
  const prototype = value instanceof DataView ? DataView.prototype : Object.getPrototypeOf(Uint8Array.prototype);
  const read = (property: string) => Object.getOwnPropertyDescriptor(prototype, property)!.get!.call(value);
  return new Uint8Array(read("buffer"), read("byteOffset"), read("byteLength"));
}
