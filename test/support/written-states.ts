// The states that are written down as text in test/states, and the messages and options that they stand for.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./child.ts";
import type { Options } from "./oracle.ts";

export interface WrittenState {
  readonly algorithm: string;
  readonly about: string;
  readonly options: Options;
  /** Of the message, in bytes: pattern(length). */
  readonly length: number;
  readonly state: Uint8Array;
}

const FOLDER = join(ROOT, "test/states");
const fromHex = (text: string) => Uint8Array.from(Buffer.from(text, "hex"));

// JSON holds bytes as hex and a bigint as its digits.
function optionsOf(written: Record<string, string | number | boolean>): Options {
  const entries = Object.entries(written).map(([name, value]) => {
    if (name === "nodeOffset") return [name, BigInt(value)];
    return [name, typeof value === "string" ? fromHex(value) : value];
  });
  return Object.fromEntries(entries);
}

interface Entry {
  about: string;
  options: Record<string, string | number | boolean>;
  length: number;
  state: string;
}

function read(file: string): WrittenState[] {
  const entries = JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Entry[];
  const algorithm = file.split(".")[0]!;
  return entries.map(({ about, options, length, state }) => {
    return { algorithm, about, options: optionsOf(options), length, state: fromHex(state) };
  });
}

export const writtenStates: readonly WrittenState[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".json"))
  .flatMap(read);
