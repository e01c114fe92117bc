// Builds a recipe from the options of a command line.
import {
  type Algorithm,
  algorithmList,
  findAlgorithm,
  limitsOf,
  type NamedAlgorithm,
  type Options,
} from "./algorithms.js";
import { toBytes } from "./byte-strings.js";
import { type Given, UsageError } from "./given.js";
import { hexBytes, wholeNumber } from "./hex-values.js";
import { KEY_LIMIT } from "./keys.js";
import { DEFAULT_ALGORITHM } from "./options.js";
import type { Recipe } from "./recipes.js";

/** The algorithm that --algorithm names, and the length if the name contains one. */
export function chosenAlgorithm(given: Given): NamedAlgorithm | undefined {
  const name = given.value("algorithm");
  const found = name === undefined ? undefined : findAlgorithm(name);
  if (name === undefined || found) return found;
  const known = algorithmList.map((each) => each.algorithm).join(", ");
  throw new UsageError(
    `--algorithm must be one of ${known}, in upper or lower case, or such as blake2b-256 with a length in bits, was "${name}"`,
  );
}

export function recipeFrom(given: Given, key: () => Uint8Array): Recipe {
  const { algorithm, length } = chosenAlgorithm(given) ?? (findAlgorithm(DEFAULT_ALGORITHM) as NamedAlgorithm);
  const options = modeFrom(given, algorithm, key);
  const wanted = lengthFrom(given, algorithm) ?? length;
  if (length !== undefined && wanted !== length) {
    throw new UsageError(`--length must be ${length} or left out for ${given.value("algorithm")}, was ${wanted}`);
  }
  if (wanted !== undefined) options.length = wanted;
  return { algorithm, options, seek: seekFrom(given, algorithm, wanted ?? algorithm.digestLength) };
}

function lengthFrom(given: Given, algorithm: Algorithm): number | undefined {
  const text = given.value("length");
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new UsageError(`--length must be a whole number of bytes, was "${text}"`);
  const [least, most] = limitsOf(algorithm).length;
  const length = Number(text);
  if (length >= least && length <= most) return length;
  const range = least === most ? `${least}` : `${least} to ${most}`;
  const bits = length % 8 === 0 && length / 8 >= least && length / 8 <= most;
  const advice = bits ? `; ${length} bits are ${length / 8} bytes: --length ${length / 8}` : "";
  throw new UsageError(`--length is in bytes, for ${algorithm.algorithm} ${range}, was ${text}${advice}`);
}

const LAST_POSITION = 2n ** 64n - 1n;

function seekFrom(given: Given, algorithm: Algorithm, length: number): bigint {
  const text = given.value("seek");
  if (text === undefined) return 0n;
  if (algorithm.algorithm !== "blake3") throw foreign("seek", algorithm);
  return wholeNumber("seek", text, 0n, LAST_POSITION - BigInt(length), " of bytes");
}

const foreign = (option: string, { algorithm }: Algorithm): UsageError =>
  new UsageError(`--${option} cannot be used with ${algorithm}, which has no such parameter`);

/** All options except the length: key or context, salt, personalisation, tree. */
export function modeFrom(given: Given, algorithm: Algorithm, key: () => Uint8Array): Options {
  const modes = ["keyed", "key", "derive-key"].filter((name) => given.has(name));
  if (modes.length > 1) throw new UsageError(`--${modes[0]} cannot be used with --${modes[1]}`);
  const options: Options = {};
  if (modes[0] === "derive-key") options.context = contextFrom(given, algorithm);
  else if (modes[0]) options.key = bounded(modes[0], algorithm, "key", () => keyBytes(given, key));
  for (const name of ["salt", "personal"] as const) {
    const text = given.value(name);
    if (text !== undefined) options[name] = bounded(name, algorithm, name, () => hexBytes(name, text));
  }
  return Object.assign(options, treeFrom(given, algorithm));
}

function contextFrom(given: Given, algorithm: Algorithm): Uint8Array {
  if (algorithm.algorithm !== "blake3") throw foreign("derive-key", algorithm);
  return toBytes(given.value("derive-key") as string);
}

function keyBytes(given: Given, key: () => Uint8Array): Uint8Array {
  const text = given.value("key");
  return text === undefined ? key() : hexBytes("key", text);
}

function bounded(
  option: string,
  algorithm: Algorithm,
  parameter: "key" | "salt" | "personal",
  bytes: () => Uint8Array,
): Uint8Array {
  const limit = limitsOf(algorithm)[parameter];
  if (!limit) throw foreign(option, algorithm);
  const [least, most] = limit;
  const value = bytes();
  if (value.length >= least && value.length <= most) return value;
  const range = least === most ? `exactly ${least}` : `${least} to ${most}`;
  throw new UsageError(`--${option} must have ${range} bytes for ${algorithm.algorithm}, had ${counted(value)}`);
}

/** A key is read only up to a limit, so the length of a longer one is unknown. */
const counted = ({ length }: Uint8Array): string => (length > KEY_LIMIT ? `more than ${KEY_LIMIT}` : `${length}`);

const UINT8 = 255n;
const UINT32 = 2n ** 32n - 1n;

function treeFrom(given: Given, algorithm: Algorithm): Options {
  const names = [
    "fanout",
    "max-depth",
    "max-leaf-length",
    "node-offset",
    "node-depth",
    "inner-hash-length",
    "last-node",
  ];
  const first = given.first(...names);
  if (first === undefined) return {};
  const { nodeOffset: lastOffset, length } = limitsOf(algorithm);
  if (lastOffset === undefined) throw foreign(first, algorithm);
  const options: Options = {};
  const number = (name: string, least: bigint, most: bigint, use: (value: bigint) => void): void => {
    const text = given.value(name);
    if (text !== undefined) use(wholeNumber(name, text, least, most));
  };
  number("fanout", 0n, UINT8, (value) => (options.fanout = Number(value)));
  number("max-depth", 1n, UINT8, (value) => (options.maxDepth = Number(value)));
  number("max-leaf-length", 0n, UINT32, (value) => (options.maxLeafLength = Number(value)));
  number("node-offset", 0n, lastOffset, (value) => (options.nodeOffset = value));
  number("node-depth", 0n, UINT8, (value) => (options.nodeDepth = Number(value)));
  number("inner-hash-length", 0n, BigInt(length[1]), (value) => (options.innerHashLength = Number(value)));
  if (given.has("last-node")) options.lastNode = true;
  return options;
}
