import type { UsageError } from "./given.js";
import type { Messages } from "./messages.js";

/** One of the programs that the command can be called as. */
export interface Program {
  readonly messages: Messages;
  /** Parses the arguments, as byte strings. The returned function does the work, and returns true on success. */
  prepare(args: readonly string[]): () => boolean | Promise<boolean>;
  /** Reports an invalid command line; returns the exit status. */
  misuse(error: UsageError): number;
  /** The exit status if standard output cannot be written. */
  readonly outputStatus: number;
}
