// Saved states taken apart and put together as docs/states.md describes them, without the package's own code; and those
// that are written down as text in test/states, with the messages and options that they stand for.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { ROOT } from "./child.ts";
import type { Options } from "./oracle.ts";

interface Fields {
  version: number;
  name: string;
  digestLength: bigint;
  parameters: Uint8Array;
  state: Uint8Array;
}

const HEADER = 32;
const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export function parse(saved: Uint8Array): Fields {
  const header = view(saved);
  const split = HEADER + header.getUint32(24, true);
  return {
    version: header.getUint8(7),
    name: String.fromCharCode(...saved.subarray(8, 16)).replace(/\0+$/, ""),
    digestLength: header.getBigUint64(16, true),
    parameters: saved.slice(HEADER, split),
    state: saved.slice(split, split + header.getUint32(28, true)),
  };
}

export function build({ version, name, digestLength, parameters, state }: Fields): Uint8Array {
  const saved = new Uint8Array(HEADER + parameters.length + state.length + 4);
  saved.set(new TextEncoder().encode(`BLAKEST${String.fromCharCode(version)}${name}`));
  view(saved).setBigUint64(16, digestLength, true);
  view(saved).setUint32(24, parameters.length, true);
  view(saved).setUint32(28, state.length, true);
  saved.set(parameters, HEADER);
  saved.set(state, HEADER + parameters.length);
  return seal(saved);
}

/** Gives bytes that have been changed the checksum that they then need. */
export function seal(saved: Uint8Array): Uint8Array {
  const end = saved.length - 4;
  view(saved).setUint32(end, crc32(saved.subarray(0, end)), true);
  return saved;
}

/** A copy with some fields of the kernel's state changed. */
export function withState(saved: Uint8Array, change: (state: DataView, bytes: Uint8Array) => void): Uint8Array {
  const fields = parse(saved);
  change(view(fields.state), fields.state);
  return build(fields);
}

/** A copy with one byte of its parameters changed, without zeros at their end but those of a key's field. */
export function withParameter(saved: Uint8Array, at: number, value: number): Uint8Array {
  const fields = parse(saved);
  const parameters = new Uint8Array(136);
  parameters.set(fields.parameters);
  parameters[at] = value;
  const kept = parameters[1] === 0 ? 0 : ({ blake2b: 128, blake2xb: 128, blake2s: 64, blake2xs: 64 }[fields.name] ?? 0);
  const end = Math.max(kept, parameters.findLastIndex((byte) => byte !== 0) + 1);
  return build({ ...fields, parameters: parameters.slice(0, end) });
}

export interface WrittenState {
  readonly algorithm: string;
  readonly about: string;
  readonly options: Options;
  /** Of the message, in bytes: pattern(length). */
  readonly length: number;
  readonly state: Uint8Array;
}

type Written = Omit<WrittenState, "algorithm" | "options" | "state"> & {
  options: Record<string, string | number | boolean>;
  state: string;
};

const FOLDER = join(ROOT, "test/states");
const fromHex = (text: string) => Uint8Array.from(Buffer.from(text, "hex"));

// JSON holds bytes as hex and a bigint as its digits.
const optionOf = (name: string, value: string | number | boolean) =>
  name === "nodeOffset" ? BigInt(value) : typeof value === "string" ? fromHex(value) : value;

export const writtenStates: readonly WrittenState[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".json"))
  .flatMap((file) =>
    (JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Written[]).map(({ options, state, ...rest }) => ({
      ...rest,
      algorithm: file.split(".")[0]!,
      options: Object.fromEntries(Object.entries(options).map(([name, value]) => [name, optionOf(name, value)])),
      state: fromHex(state),
    })),
  );
