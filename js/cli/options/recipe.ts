// Recipes from the options of a command line.

import { fileBytes, isStandardInput, statusIfAny } from "../files/read.js";
import {
  type Algorithm,
  algorithmList,
  canHaveLength,
  findAlgorithm,
  isExtendable,
  LIKELY,
  lengthsOf,
  type NamedAlgorithm,
  type Options,
} from "../hashing/algorithms.js";
import type { Recipe } from "../hashing/recipe.js";
import { toBytes } from "../system/byte-strings.js";
import { runFor, UsageError } from "../system/errors.js";
import { printError } from "../system/output.js";
import { hexBytes, type ParsedOptions, suggestion, wholeNumber } from "./parse.js";
import { DEFAULT_ALGORITHM } from "./table.js";

/** Longer than any algorithm's key; limits how much of an endless standard input is kept. */
const KEY_LIMIT = 1024;

/** Reads the key, once, from standard input, which must not be read for anything else. */
export function keyReader(parsed: ParsedOptions, names: readonly string[]): () => Uint8Array {
  let key: Uint8Array | undefined;
  return () => {
    if ([...names, ...parsed.values("files-from")].some(isStandardInput)) {
      throw new UsageError("--keyed takes the key from standard input, so it needs a FILE other than standard input");
    }
    if (names.some(isKeyInPlaceOfFile)) {
      throw new UsageError(
        "--keyed takes the key from standard input, in raw bytes; --key takes it in hexadecimal digits",
      );
    }
    key ??= readKey();
    return key;
  };
}

/** Whether a name is the key itself, which the error for a missing file would repeat. */
const isKeyInPlaceOfFile = (name: string): boolean => /^(?:[0-9a-f]{2}){8,}$/i.test(name) && !statusIfAny(name);

function readKey(): Uint8Array {
  const key = runFor("-", () => fileBytes("-", KEY_LIMIT));
  if (key.length === 0) throw new UsageError("--keyed takes the key from standard input, which is empty");
  if (key.length <= KEY_LIMIT) return key;
  throw new UsageError(`--keyed takes at most ${KEY_LIMIT} bytes from standard input, got more`);
}

/** The algorithm that --algorithm names, and the length if the name contains one. */
export function chosenAlgorithm(parsed: ParsedOptions): NamedAlgorithm | undefined {
  const name = parsed.value("algorithm");
  const found = name === undefined ? undefined : findAlgorithm(name);
  if (name === undefined || found) return found;
  const known = algorithmList.map((each) => each.algorithm);
  throw new UsageError(
    `--algorithm must be one of ${known.join(", ")}, in upper or lower case, or such as blake2b-256 with a length in bits, was "${name}"${suggestion(name.toLowerCase(), known)}`,
  );
}

export function recipeFrom(parsed: ParsedOptions, key: () => Uint8Array): Recipe {
  const { algorithm } = chosenOrDefault(parsed);
  const options = modeFrom(parsed, algorithm, key);
  const stated = statedLength(parsed);
  const length = stated ?? algorithm.digestLength;
  return recipeOf(algorithm, options, length, stated !== undefined, seekFrom(parsed, algorithm, length));
}

const chosenOrDefault = (parsed: ParsedOptions): NamedAlgorithm =>
  chosenAlgorithm(parsed) ?? (findAlgorithm(DEFAULT_ALGORITHM) as NamedAlgorithm);

/** The length that --length gives, or the name of the algorithm. */
export function statedLength(parsed: ParsedOptions): number | undefined {
  const { algorithm, length } = chosenOrDefault(parsed);
  const given = lengthFrom(parsed, algorithm);
  if (given !== undefined && length !== undefined && given !== length) {
    throw new UsageError(`--length must be ${length} or left out for ${parsed.value("algorithm")}, was ${given}`);
  }
  return given ?? length;
}

function recipeOf(algorithm: Algorithm, mode: Options, length: number, isStated: boolean, seek: bigint): Recipe {
  // The algorithms of one length do not take it as an option. BLAKE2X of a length that is not stated is another hash.
  const isPlain = length === algorithm.digestLength && !(isStated && isExtendable(algorithm));
  const options = isPlain ? mode : { ...mode, length };
  return { algorithm, options, length, seek };
}

/** Returns the recipe for an algorithm and a length; undefined if the options do not suit it. */
export type MakeRecipe = (algorithm: Algorithm, length: number, isStated: boolean) => Recipe | undefined;

/** Makes recipes from the given options, which must suit the chosen algorithm, or at least one if none is chosen. */
export function recipeMaker(parsed: ParsedOptions, chosen: Algorithm | undefined, key: () => Uint8Array): MakeRecipe {
  const modes = new Map<Algorithm, Options | UsageError>();
  // Each at its first use: a kernel that no line needs may take the memory of one that is needed.
  const modeOf = (algorithm: Algorithm): Options | UsageError => {
    if (!modes.has(algorithm)) modes.set(algorithm, modeOrMisuse(parsed, algorithm, key));
    return modes.get(algorithm) as Options | UsageError;
  };
  // Options that suit no algorithm are reported before any list is read.
  const asked = chosen ? [chosen] : LIKELY;
  if (asked.every((algorithm) => modeOf(algorithm) instanceof UsageError)) throw modeOf(asked[0] as Algorithm);
  return (algorithm, length, isStated) => {
    const mode = modeOf(algorithm);
    if (mode instanceof UsageError || !canHaveLength(algorithm, length)) return undefined;
    return recipeOf(algorithm, mode, length, isStated, 0n);
  };
}

function modeOrMisuse(parsed: ParsedOptions, algorithm: Algorithm, key: () => Uint8Array): Options | UsageError {
  try {
    return modeFrom(parsed, algorithm, key);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

/** What users of b2sum are likely to mean in bits. */
const LENGTHS_IN_BITS: ReadonlySet<number> = new Set([128, 160, 224, 256, 384, 512]);

function lengthFrom(parsed: ParsedOptions, algorithm: Algorithm): number | undefined {
  const text = parsed.value("length");
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new UsageError(`--length must be a whole number of bytes, was "${text}"`);
  const length = Number(text);
  if (canHaveLength(algorithm, length)) {
    if (length > algorithm.digestLength && LENGTHS_IN_BITS.has(length)) {
      printError(`--length is in bytes: these are ${length} bytes; ${length} bits are --length ${length / 8}`);
    }
    return length;
  }
  const [least, most] = lengthsOf(algorithm);
  const range = least === most ? `${least}` : `${least} to ${most}`;
  let advice = length === 0 ? `; left out, it is ${algorithm.digestLength}` : "";
  if (length % 8 === 0 && canHaveLength(algorithm, length / 8))
    advice = `; ${length} bits are ${length / 8} bytes: --length ${length / 8}`;
  throw new UsageError(`--length is in bytes, for ${algorithm.algorithm} ${range}, was ${text}${advice}`);
}

const LAST_POSITION = 2n ** 64n - 1n;

const toNumber = (option: string, text: string): number => Number(wholeNumber(option, text, 0n, LAST_POSITION));

function seekFrom(parsed: ParsedOptions, algorithm: Algorithm, length: number): bigint {
  const text = parsed.value("seek");
  if (text === undefined) return 0n;
  if (algorithm.algorithm !== "blake3") throw noSuchParameter("seek", algorithm);
  return wholeNumber("--seek", text, 0n, LAST_POSITION - BigInt(length), " of bytes");
}

/** The parameter that each option sets, and how its text is read. */
const PARAMETERS: Readonly<Record<string, readonly [keyof Options, (option: string, text: string) => unknown]>> = {
  "derive-key": ["context", (_, text) => toBytes(text)],
  key: ["key", hexBytes],
  salt: ["salt", hexBytes],
  personal: ["personal", hexBytes],
  fanout: ["fanout", toNumber],
  "max-depth": ["maxDepth", toNumber],
  "max-leaf-length": ["maxLeafLength", toNumber],
  "node-offset": ["nodeOffset", (option, text) => wholeNumber(option, text, 0n, LAST_POSITION)],
  "node-depth": ["nodeDepth", toNumber],
  "inner-hash-length": ["innerHashLength", toNumber],
  "last-node": ["lastNode", () => true],
};

/** All options except the length: key or context, salt, personalisation, tree. */
function modeFrom(parsed: ParsedOptions, algorithm: Algorithm, readKeyOnce: () => Uint8Array): Options {
  const modes = ["keyed", "key", "derive-key"].filter((name) => parsed.has(name));
  if (modes.length > 1) throw new UsageError(`--${modes[0]} cannot be used with --${modes[1]}`);
  let options: Options = {};
  if (parsed.has("keyed")) options = withParameter(algorithm, options, "keyed", { key: readKeyOnce() });
  for (const [option, [parameter, read]] of Object.entries(PARAMETERS)) {
    const text = parsed.value(option);
    if (text === undefined) continue;
    options = withParameter(algorithm, options, option, { [parameter]: read(`--${option}`, text) });
  }
  return options;
}

/** Adds a parameter, which the algorithm checks. */
function withParameter(algorithm: Algorithm, before: Options, option: string, parameter: Options): Options {
  const options = { ...before, ...parameter } as Options;
  try {
    algorithm.create(options).dispose();
    return options;
  } catch (error) {
    const call = `${algorithm.algorithm}.create: `;
    const { name, message } = error as Error;
    if (!message.startsWith(call)) throw error;
    if (name === "TypeError") throw noSuchParameter(option, algorithm);
    throw new UsageError(`${algorithm.algorithm}: ${message.slice(call.length).replace(/^\w+/, `--${option}`)}`);
  }
}

const noSuchParameter = (option: string, { algorithm }: Algorithm): UsageError =>
  new UsageError(`--${option} cannot be used with ${algorithm}, which has no such parameter`);
