// Parses a command line into options, in order, and operands.

export interface OptionShape {
  readonly short?: string;
  /** The name of the option's value; undefined if it takes none. */
  readonly value?: string;
  /** Omitted from --help. */
  readonly hidden?: boolean;
}

export type OptionTable = Readonly<Record<string, OptionShape>>;

export interface GivenOption {
  readonly name: string;
  readonly value: string;
}

export interface Parsed {
  readonly options: readonly GivenOption[];
  readonly operands: readonly string[];
}

/** How a program rejects an invalid command line; each method throws. */
export interface Refusals {
  unknownLong(argument: string): never;
  unknownShort(letter: string, argument: string): never;
  /** @param written the option as the user wrote it: the long name, or one letter */
  missingValue(name: string, written: string): never;
  unexpectedValue(name: string, value: string): never;
  /** Undefined if long names may not be abbreviated. */
  ambiguous?(argument: string, names: readonly string[]): never;
}

/** How a program parses values. */
export interface ParserStyle {
  /** A value that is a separate argument may begin with "-". */
  readonly dashedValues: boolean;
  /** A value may follow its letter after "=". */
  readonly shortEquals: boolean;
}

export const GNU: ParserStyle = { dashedValues: true, shortEquals: false };
export const CLAP: ParserStyle = { dashedValues: false, shortEquals: true };

export function parseOptions(
  args: readonly string[],
  table: OptionTable,
  style: ParserStyle,
  refusals: Refusals,
): Parsed {
  return new Reader(args, table, style, refusals).read();
}

class Reader {
  readonly #args: string[];
  readonly #table: OptionTable;
  readonly #style: ParserStyle;
  readonly #refusals: Refusals;
  readonly #options: GivenOption[] = [];

  constructor(args: readonly string[], table: OptionTable, style: ParserStyle, refusals: Refusals) {
    this.#args = [...args].reverse();
    this.#table = table;
    this.#style = style;
    this.#refusals = refusals;
  }

  read(): Parsed {
    const operands: string[] = [];
    for (let arg = this.#args.pop(); arg !== undefined; arg = this.#args.pop()) {
      if (arg === "--") return { options: this.#options, operands: [...operands, ...this.#args.reverse()] };
      if (arg.startsWith("--")) this.#long(arg);
      else if (arg.startsWith("-") && arg !== "-") this.#letters(arg);
      else operands.push(arg);
    }
    return { options: this.#options, operands };
  }

  #long(arg: string): void {
    const equals = arg.indexOf("=");
    const written = arg.slice(2, equals < 0 ? undefined : equals);
    const value = equals < 0 ? undefined : arg.slice(equals + 1);
    const name = this.#complete(written, arg);
    const takesValue = this.#table[name]?.value !== undefined;
    if (!takesValue && value !== undefined) this.#refusals.unexpectedValue(name, value);
    this.#add(name, takesValue ? (value ?? this.#nextValue(name, `--${name}`)) : "");
  }

  #complete(written: string, arg: string): string {
    if (Object.hasOwn(this.#table, written) && written.length > 1) return written;
    const names = Object.keys(this.#table).filter((name) => name.length > 1 && name.startsWith(written));
    if (!this.#refusals.ambiguous || names.length === 0) return this.#refusals.unknownLong(arg);
    return names.length === 1 ? (names[0] as string) : this.#refusals.ambiguous(`--${written}`, names);
  }

  #letters(arg: string): void {
    for (let i = 1; i < arg.length; i++) {
      const letter = arg.charAt(i);
      const name = Object.keys(this.#table).find((each) => this.#table[each]?.short === letter);
      if (name === undefined) this.#refusals.unknownShort(letter, arg);
      if (this.#table[name]?.value === undefined) {
        this.#add(name, "");
        continue;
      }
      const rest = arg.slice(i + 1);
      const attached = this.#style.shortEquals && rest.startsWith("=") ? rest.slice(1) : rest;
      this.#add(name, rest ? attached : this.#nextValue(name, letter));
      return;
    }
  }

  #nextValue(name: string, written: string): string {
    const next = this.#args.at(-1);
    const fits = next !== undefined && (this.#style.dashedValues || !next.startsWith("-") || next === "-");
    return fits ? (this.#args.pop() as string) : this.#refusals.missingValue(name, written);
  }

  #add(name: string, value: string): void {
    this.#options.push({ name, value });
  }
}
