import type { GivenOption } from "./getopt.js";

/** A command line that asks for something impossible; the message is a byte string. */
export class UsageError extends Error {
  /** The exit status, if it is not the program's usual one for misuse. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/** The options that a command line gives. */
export class Given {
  readonly #options: readonly GivenOption[];

  constructor(options: readonly GivenOption[]) {
    this.#options = options;
  }

  has(name: string): boolean {
    return this.#options.some((option) => option.name === name);
  }

  /** The value given last. */
  value(name: string): string | undefined {
    return this.#options.findLast((option) => option.name === name)?.value;
  }

  values(name: string): string[] {
    return this.#options.filter((option) => option.name === name).map(({ value }) => value);
  }

  /** Which of several options was given last. */
  last(...names: readonly string[]): string | undefined {
    return this.#options.findLast((option) => names.includes(option.name))?.name;
  }

  /** The first of these names that was given. */
  first(...names: readonly string[]): string | undefined {
    return names.find((name) => this.has(name));
  }
}
