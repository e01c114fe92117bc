// The patterns of --exclude, and of wildcards.
import { fromText, toText } from "../system/byte-strings.js";
import { UsageError } from "../system/errors.js";
import { forTerminal, printError } from "../system/output.js";

/**
 * Patterns of *, ? and [...] within a name, and ** across folders; a backslash makes the next character plain. A
 * pattern without "/" matches the last name of a path at any depth. One with "/" matches a whole path: in the folder,
 * or as it is printed.
 */
export class Exclusion {
  readonly #tests: readonly { readonly pattern: string; readonly isPath: boolean; readonly expression: RegExp }[];
  readonly #used = new Set<string>();

  /** @throws UsageError for a range of characters that ends before it begins */
  constructor(patterns: readonly string[]) {
    this.#tests = patterns.map((pattern) => ({
      pattern,
      isPath: pattern.replace(/\/$/, "").includes("/"),
      expression: expressionOf(toText(trimSlashes(pattern))),
    }));
  }

  /**
   * Returns whether any pattern matches.
   *
   * @param relativePath the path in the folder, with "/" as the separator
   * @param path the path as it is printed
   */
  matches(relativePath: string, path: string): boolean {
    if (this.#tests.length === 0) return false;
    const paths = [relativePath, trimSlashes(path)].map(toText);
    const names = [toText(relativePath.slice(relativePath.lastIndexOf("/") + 1))];
    const found = this.#tests.filter(({ isPath, expression }) =>
      (isPath ? paths : names).some((each) => expression.test(each)),
    );
    for (const { pattern } of found) this.#used.add(pattern);
    return found.length > 0;
  }

  /** Says which patterns have matched nothing. */
  report(): void {
    for (const { pattern } of this.#tests) {
      if (!this.#used.has(pattern)) printError(`--exclude ${forTerminal(pattern)} matched nothing`);
    }
  }
}

/** A path without "./" or "/" before it, and without "/" behind it. */
const trimSlashes = (path: string): string => path.replace(/^\.?\/|\/$/g, "");

const TOKENS = /\*\*\/|\*\*|\*|\?|\[([!^])?(\](?:\\.|[^\]\\])*|(?:\\.|[^\]\\])+)\]|\\(.)|(.)/gsu;

/** @throws UsageError for a range of characters that ends before it begins */
export function expressionOf(pattern: string, flags = "su"): RegExp {
  const source = pattern.replace(TOKENS, (token, negation, members, escaped, plain) => {
    if (token === "**/") return "(?:.*/)?";
    if (token === "**") return ".*";
    if (token === "*") return "[^/]*";
    if (token === "?") return "[^/]";
    if (members !== undefined) return `(?!/)[${negation ? "^" : ""}${classOf(members)}]`;
    return escapeCharacter(escaped ?? plain);
  });
  return new RegExp(`^${source}$`, flags);
}

/** The members of [...]: characters and ranges of them. */
const classOf = (members: string): string =>
  members.replace(/(?:\\(.)|(.))(?:-(?:\\(.)|(.)))?/gsu, (range, escaped, plain, escapedEnd, plainEnd) => {
    const [first, last] = [escaped ?? plain, escapedEnd ?? plainEnd];
    if (last === undefined) return escapeCharacter(first);
    if (last.codePointAt(0) >= first.codePointAt(0)) return `${escapeCharacter(first)}-${escapeCharacter(last)}`;
    throw new UsageError(`--exclude must have ranges that end after they begin, had [${fromText(range)}]`);
  });

const escapeCharacter = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`;
