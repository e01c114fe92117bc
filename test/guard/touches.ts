// Runs code of a test's just before and just after each intrinsic that the engine is given watched memory with: another
// thread may change shared memory there. It must be loaded before js/, which keeps intrinsics.

/** Told the buffer that an intrinsic reads or writes. */
type Touched = (buffer: ArrayBufferLike) => void;

const { apply, construct, ownKeys } = Reflect;
const { getOwnPropertyDescriptors, defineProperty } = Object;
const TypedArray = Object.getPrototypeOf(Uint8Array);
const { isView } = ArrayBuffer;
const getters = getOwnPropertyDescriptors(TypedArray.prototype as Uint8Array);
const kindOf = getters[Symbol.toStringTag]!.get!;
const bufferOfArray = getters.buffer!.get!;
const bufferOfDataView = getOwnPropertyDescriptors(DataView.prototype).buffer!.get!;

let watched: ReadonlySet<ArrayBufferLike> | undefined;
let touched: Touched;

/** Watches buffers until the returned function is called. */
export function watch(buffers: ReadonlySet<ArrayBufferLike>, act: Touched): () => void {
  watched = buffers;
  touched = act;
  return () => {
    watched = undefined;
  };
}

/** The watched buffer of the first value that has one. */
function found(values: readonly unknown[]): ArrayBufferLike | undefined {
  for (const value of values) {
    const buffer = isView(value)
      ? apply(apply(kindOf, value, []) ? bufferOfArray : bufferOfDataView, value, [])
      : value;
    if (watched!.has(buffer as ArrayBufferLike)) return buffer as ArrayBufferLike;
  }
  return undefined;
}

/** Acts while nothing is watched, since what `touched` does is no step. */
function tell(buffer: ArrayBufferLike): void {
  const before = watched;
  watched = undefined;
  try {
    touched(buffer);
  } finally {
    watched = before;
  }
}

function around<T>(values: readonly unknown[], act: () => T): T {
  const buffer = watched && found(values);
  if (buffer === undefined) return act();
  tell(buffer);
  try {
    return act();
  } finally {
    if (watched) tell(buffer);
  }
}

function wrap<F extends (...args: never[]) => unknown>(real: F): F {
  return function (this: unknown, ...args: never[]) {
    return watched ? around([this, ...args], () => apply(real, this, args)) : apply(real, this, args);
  } as F;
}

function wrapMembers(prototype: object): void {
  const members = getOwnPropertyDescriptors(prototype) as Record<PropertyKey, PropertyDescriptor>;
  for (const name of ownKeys(members)) {
    const { get, value, ...rest } = members[name]!;
    if (name === "constructor" || !rest.configurable) continue;
    if (get) defineProperty(prototype, name, { ...rest, get: wrap(get) } as PropertyDescriptor);
    else if (typeof value === "function") defineProperty(prototype, name, { ...rest, value: wrap(value) });
  }
}

function wrapped<C extends new (...args: never[]) => object>(real: C): C {
  return new Proxy(real, {
    construct: (target, args, self) =>
      watched ? around(args, () => construct(target, args, self)) : construct(target, args, self),
  });
}

for (const { prototype } of [
  TypedArray,
  Uint8Array,
  DataView,
  ArrayBuffer,
  SharedArrayBuffer,
  TextEncoder,
  TextDecoder,
]) {
  wrapMembers(prototype);
}
globalThis.Uint8Array = wrapped(Uint8Array) as Uint8ArrayConstructor;
globalThis.DataView = wrapped(DataView) as DataViewConstructor;
