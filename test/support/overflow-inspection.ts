// What overflow.mjs needs of Node: independent digests, and a look into the kernels' memory after each overflow.
import { expect } from "vitest";
import type { Watched } from "./memory.ts";
import { type Digest, secretTokens } from "./overflow.mjs";
import { expected, subjects } from "./subjects.ts";

const tokens = secretTokens();
// Where an instance that is in use has constants; one that has been replaced is all zeros.
const CONSTANTS = [0x400, 0x500] as const;
// One kernel of each module is in use, before and after a change of backends.
const MOST = 10;

/** Independent digests in hexadecimal. */
export const oracle: Digest = (name, message, options) => {
  const subject = subjects.find((each) => each.name === name)!;
  return Buffer.from(expected(subject, message, options)).toString("hex");
};

/** Finds no secret in any instance's memory, and lets those go that are not used any more: theirs is zero. */
export function inspector(instances: Watched[]): (what: string) => void {
  return (what) => {
    for (const { bytes } of instances) {
      const memory = Buffer.from(bytes.buffer);
      for (const token of tokens) {
        const at = memory.indexOf(token);
        if (at >= 0) expect.fail(`${what}: a secret is left in memory at 0x${at.toString(16)}`);
      }
    }
    const used = instances.filter(({ bytes }) => bytes.subarray(...CONSTANTS).some((byte) => byte !== 0)).slice(-MOST);
    instances.splice(0, instances.length, ...used);
    for (const { calls } of used) calls.length = 0;
  };
}
