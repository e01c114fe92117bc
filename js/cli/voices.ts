// How each program words what goes wrong.
import { asUtf8 } from "./byte-strings.js";
import { writeError, writeErrorLine } from "./output.js";
import { shellQuote } from "./shell-quote.js";
import { cReasonOf, FolderTrouble, reasonOf, rustReasonOf } from "./trouble.js";

export interface Voice {
  /** Says one sentence under the program's name. */
  complain(message: string): void;
  /** Says why there is nothing to be had from a file. */
  complainAbout(name: string, error: unknown): void;
  /** Says that standard output cannot be written. */
  complainOfOutput(cause: unknown): void;
}

const say = (program: string, message: string): void => writeErrorLine(`${program}: ${message}`);

export const blakesumVoice: Voice = {
  complain: (message) => say("blakesum", message),
  complainAbout(name, error) {
    if (error instanceof FolderTrouble) this.complainAbout(error.path, error.reason);
    else say("blakesum", `${name || "''"}: ${reasonOf(error)}`);
  },
  complainOfOutput: (cause) => say("blakesum", `standard output: ${reasonOf(cause)}`),
};

export const gnuVoice: Voice = {
  complain: (message) => writeError(`b2sum: ${message}\n`),
  complainAbout: (name, error) => writeError(`b2sum: ${shellQuote(name)}: ${cReasonOf(error)}\n`),
  complainOfOutput: () => writeError("b2sum: write error\n"),
};

export const rustVoice = (program: string): Voice => ({
  complain: (message) => writeError(`${program}: ${message}\n`),
  complainAbout: (name, error) => writeError(`${program}: ${asUtf8(name)}: ${rustReasonOf(error)}\n`),
  complainOfOutput: (cause) => writeError(`${program}: failed printing to stdout: ${rustReasonOf(cause)}\n`),
});
