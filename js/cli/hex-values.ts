import { fromHex } from "../index.js";
import { UsageError } from "./given.js";

/** Decodes a value in hexadecimal digits. The value may be secret, so no message repeats it. */
export function hexBytes(option: string, text: string): Uint8Array {
  if (/^(?:[0-9a-f]{2})*$/i.test(text)) return fromHex(text);
  throw new UsageError(`--${option} must be hexadecimal digits, two for each byte`);
}

/** Parses a whole number within bounds. */
export function wholeNumber(option: string, text: string, least: bigint, most: bigint, unit = ""): bigint {
  const value = /^\d{1,40}$/.test(text) ? BigInt(text) : undefined;
  if (value !== undefined && value >= least && value <= most) return value;
  throw new UsageError(`--${option} must be a whole number${unit} from ${least} to ${most}, was "${text}"`);
}
