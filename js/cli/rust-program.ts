// What b3sum and blake2, both Rust programs, have in common when the command is called by their names.
import { type ClapLine, type ClapProgram, parseClap } from "./clap.js";
import type { Messages } from "./messages.js";
import { print, writeError } from "./output.js";
import type { Program } from "./program.js";

/** Set by scripts/bundle.mjs. */
declare const PACKAGE_VERSION: string;

/** The exit status of a Rust program that panics, as blake2 does for values that the algorithms reject. */
export const PANIC = 101;

export interface RustProgram {
  readonly messages: Messages;
  readonly syntax: ClapProgram;
  readonly help: string;
  /** The program's name and version, such as "b3sum 1.8". */
  readonly version: string;
  /** Reads the arguments, unless they ask for help or the version; returns what is to be done. */
  prepare(line: ClapLine): () => boolean | Promise<boolean>;
}

export function rustProgram({ messages, syntax, help, version, prepare }: RustProgram): Program {
  return {
    messages,
    outputStatus: PANIC,
    prepare(args) {
      const line = parseClap(args, syntax);
      if (!line.early) return prepare(line);
      return () => {
        print(line.early === "help" ? help : `${version} (blake-simd ${PACKAGE_VERSION})\n`);
        return true;
      };
    },
    misuse(error) {
      writeError(error.message);
      return 1;
    },
  };
}
