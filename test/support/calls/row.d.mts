// The types of the table of calls, which is plain JavaScript as far as every runtime makes the calls.
import type { Algorithm } from "blake-simd";

export type Bytes = Uint8Array;
export type Arrays = Record<string, Bytes>;

/** Where a caller's code runs during a call. */
export interface Code {
  /** Options whose getters run it. */
  options<O extends object>(options: O): O;
  /** A list whose iterator runs it. */
  list<T>(items: readonly T[]): Iterable<T>;
}

/** What independent implementations give; each throws for what it has to refuse. */
export interface Oracle {
  digest(name: string, message: Bytes, options?: object): Bytes;
  /** The chaining value of a subtree of BLAKE3, under a key if there is one. */
  subtree(message: Bytes, offset?: number, key?: Bytes): Bytes;
  /** That of two neighbours, or their root. */
  parent(left: Bytes, right: Bytes, key?: Bytes, isRoot?: boolean): Bytes;
}

/** One call of the public API, with arguments that are right. */
export interface Call {
  /** What its errors begin with. */
  readonly name: string;
  /** What tells it from others of this name. */
  readonly how: string;
  /** The algorithm whose kernel computes. */
  readonly of: string;
  /** What a caller holds; some have to be Uint8Arrays, the others may be any input. */
  readonly arrays: Arrays;
  /** The object that it is a method of. */
  make(arrays: Arrays, code: Code): unknown;
  args(arrays: Arrays, code: Code, object?: unknown): unknown[];
  /** How many arguments it takes. */
  readonly most: number;
  act(object: unknown, ...args: unknown[]): unknown;
  /**
   * What has to be right of what it returns, and of its object. A call that threw can be made again, to the same
   * result.
   */
  look(value: never, object: never, arrays: Arrays): Bytes[] | Promise<Bytes[]>;
  /** What `look` gives for these bytes; throws, or returns undefined, if the call has to refuse them. */
  expected?(arrays: Arrays, oracle: Oracle): Bytes[] | undefined;
  /** What a call that is refused leaves as it was. */
  peek?(object: never): Bytes;
  /** Where its options are, and which of them are secret. */
  readonly optionsAt?: number;
  readonly secrets?: readonly string[];
  /** What some of its errors begin with instead: what it calls. */
  readonly via?: string;
  /** Which of its arguments errors may quote: numbers, and names of files. */
  readonly quoted?: readonly number[];
  /** It ignores further arguments: they are for callbacks as of `map`, or would take time. */
  readonly more?: boolean;
  /** The changes of memory after which the result is unspecified. */
  readonly unspecified?: RegExp;
}

type Row = Partial<Omit<Call, "name" | "act" | "look">> & Pick<Call, "of"> & { act: unknown; look?: unknown };
type Act = (object: unknown, ...args: unknown[]) => unknown;

export const AREA: number;
export const HEAD: Bytes;
export const NO_CODE: Code;
export function bytesFor(name: string, length: number): Uint8Array<ArrayBuffer>;
export function concat(...pieces: readonly Bytes[]): Uint8Array<ArrayBuffer>;
export function ofHex(text: string): Bytes;
export function row(name: string, rest: Row): Call;
export function calls(call: unknown): Act;
export function makes(Class: unknown): Act;
export function method(name: string): Act;

export type Fill = (name: string, length: number) => Bytes;

/** The package as far as every build has it. */
export interface Library {
  readonly main: { readonly algorithms: Record<string, Algorithm<object>> };
  readonly states?: typeof import("blake-simd/states");
  readonly typed?: typeof import("blake-simd/typed");
  readonly hazmat?: typeof import("blake-simd/hazmat");
}
