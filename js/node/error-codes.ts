// Errors with the codes that node:crypto's have.
import { wrongKind } from "../input/errors.js";

export function withCode<E extends Error>(error: E, code: string): E {
  return Object.assign(error, { code });
}

/** Returns the error for a value of the wrong type. */
export function invalidType(
  name: string,
  argument: string,
  wanted: string,
  value: unknown,
  advice?: string,
): TypeError {
  return withCode(wrongKind(name, argument, wanted, value, advice), "ERR_INVALID_ARG_TYPE");
}
