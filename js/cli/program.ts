import type { UsageError } from "./given.js";
import type { Messages } from "./messages.js";

/** What the command is when it is called by a name. */
export interface Program {
  readonly messages: Messages;
  /** Reads the arguments, byte strings all; what it returns does the work, and returns true when all went well. */
  prepare(args: readonly string[]): () => boolean | Promise<boolean>;
  /** Explains a wrong command line; returns the exit status. */
  misuse(error: UsageError): number;
  /** The exit status when standard output cannot be written. */
  readonly outputStatus: number;
}
