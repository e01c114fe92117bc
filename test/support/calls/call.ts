// How the rows of the table of calls are used: run as they are, with a caller's code in their options, or with a wrong
// argument.
import { trueBytes } from "../hostile.ts";
import { expectedDigest } from "../oracle.ts";
import { keyed, PLAIN, parentValue, subtreeValue } from "../specification.ts";
import { type Subject, subjects } from "../subjects.ts";
import { type Arrays, type Bytes, bytesFor, type Call, type Code, concat, NO_CODE, type Oracle } from "./row.mjs";

export function arraysOf(lengths: Record<string, number>): Arrays {
  return Object.fromEntries(Object.entries(lengths).map(([name, length]) => [name, bytesFor(name, length)]));
}

export const titleOf = ({ name, how, of }: Call): string => `${name}${how}${name.includes(of) ? "" : `, ${of}`}`;
export const subjectOf = ({ of }: Call): Subject => subjects.find(({ name }) => name === of)!;

/** Makes a call; its object has to be as before if it refuses its arguments. */
function make(call: Call, object: unknown, arrays: Arrays, code: Code): unknown {
  const before = call.peek?.(object as never);
  try {
    return call.act(object, ...call.args(arrays, code, object));
  } catch (error) {
    if (before && Buffer.compare(call.peek!(object as never), before) !== 0)
      throw new Error("a refused call has changed its object");
    throw error;
  }
}

/** Runs a call, and returns all that has to be right: at once, if nothing of it comes later. */
export function run(call: Call, arrays = call.arrays, code: Code = NO_CODE): Bytes | Promise<Bytes> {
  const object = call.make(arrays, code);
  const value = make(call, object, arrays, code);
  const look = (result: unknown) => call.look(result as never, object as never, arrays);
  const end = (parts: readonly Bytes[]): Bytes => {
    (object as Partial<Disposable & { dispose(): void }> | undefined)?.dispose?.();
    return concat(...parts.map(trueBytes));
  };
  const parts = value instanceof Promise ? value.then(look) : look(value);
  return parts instanceof Promise ? parts.then(end) : end(parts);
}

/** Arguments that are right, without a secret, and with the place of options that may be left out. */
export function rightArguments({ args, arrays, optionsAt, most }: Call, object?: unknown): unknown[] {
  const list = args(arrays, NO_CODE, object);
  if (optionsAt === undefined) return [...list, ...new Array(Math.max(0, most - list.length)).fill(undefined)];
  const { key, context, ...options } = (list[optionsAt] ?? {}) as Record<string, unknown>;
  return [...list.slice(0, optionsAt), options, ...list.slice(optionsAt + 1)];
}

/** Makes a call with one argument replaced. */
export function withArgument(
  call: Call,
  at: number,
  value: unknown,
  object = call.make(call.arrays, NO_CODE),
): unknown {
  return call.act(object, ...rightArguments(call, object).with(at, value));
}

/** Makes a call under other options than its own. */
export const under = (call: Call, options: unknown): unknown => withArgument(call, call.optionsAt!, options);

interface Options {
  key?: Bytes;
  salt?: Bytes;
  personal?: Bytes;
  length?: number;
}

const modeOf = (key: Bytes | undefined) => {
  if (key && key.length !== 32) throw new RangeError("key");
  return key ? keyed(key) : PLAIN;
};
const ROOT_FLAG = 8;

/** Throws for options that the algorithm does not have. */
export const oracle: Oracle = {
  digest(name, message, options: Options = {}) {
    const subject = subjects.find((each) => each.name === name)!;
    const { keyLengths, blockLength } = subject;
    const { key, salt, personal } = options;
    const word = blockLength / 16;
    if (key && !keyLengths.includes(key.length)) throw new RangeError("key");
    const isBlake2 = /^blake2[bsx]/.test(name);
    if (salt && !isBlake2 && salt.length !== 4 * word) throw new RangeError("salt");
    if (isBlake2 && [salt, personal].some((bytes) => bytes && bytes.length > 2 * word)) throw new RangeError("salt");
    return expectedDigest(name, message, options as object);
  },
  subtree: (message, offset = 0, key) => subtreeValue(modeOf(key), message, BigInt(offset / 1024)),
  parent(left, right, key, isRoot = false) {
    const mode = modeOf(key);
    return parentValue(isRoot ? { ...mode, flags: mode.flags | ROOT_FLAG } : mode, left, right);
  },
};

interface Passing {
  readonly writable: WritableStream<Bytes>;
  readonly readable: ReadableStream<Bytes>;
}

/** Whether nothing can be read of a view any more. */
function isDetached(bytes: Bytes): boolean {
  try {
    bytes.keys();
    return false;
  } catch {
    return true;
  }
}

/** Writes one chunk to a stream, and returns all that comes out. */
export async function through({ writable, readable }: Passing, chunk: Bytes): Promise<Bytes> {
  const writer = writable.getWriter();
  const pieces: Bytes[] = [];
  const read = async (): Promise<void> => {
    for await (const piece of readable) if (!isDetached(piece)) pieces.push(new Uint8Array(piece));
  };
  const steps = [writer.write(chunk), writer.close(), read()];
  const [failed] = (await Promise.allSettled(steps)).filter(({ status }) => status === "rejected");
  if (failed) throw (failed as PromiseRejectedResult).reason;
  return concat(...pieces);
}
