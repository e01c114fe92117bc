// The patterns of --exclude, and of wildcards.
import { charactersOf, fromText } from "../system/byte-strings.js";
import { UsageError } from "../system/errors.js";

/**
 * Combines patterns of *, ? and [...] within a name, and ** across folders; a backslash makes the next character plain. A
 * pattern without "/" matches the last name of a path at any depth, one with "/" the whole path in the folder.
 *
 * @throws UsageError for a range of characters that ends before it begins
 */
export function exclusionOf(patterns: readonly string[]): (path: string) => boolean {
  const tests = patterns.map((pattern) => {
    const expression = expressionOf(charactersOf(pattern.replace(/^\.?\/|\/$/g, "")));
    return pattern.replace(/\/$/, "").includes("/")
      ? (path: string) => expression.test(charactersOf(path))
      : (path: string) => expression.test(charactersOf(path.slice(path.lastIndexOf("/") + 1)));
  });
  return (path) => tests.some((test) => test(path));
}

const TOKENS = /\*\*\/|\*\*|\*|\?|\[([!^])?(\](?:\\.|[^\]\\])*|(?:\\.|[^\]\\])+)\]|\\(.)|(.)/gsu;

/** @throws UsageError for a range of characters that ends before it begins */
export function expressionOf(pattern: string, flags = "su"): RegExp {
  const source = pattern.replace(TOKENS, (token, negation, members, escaped, plain) => {
    if (token === "**/") return "(?:.*/)?";
    if (token === "**") return ".*";
    if (token === "*") return "[^/]*";
    if (token === "?") return "[^/]";
    if (members !== undefined) return `(?!/)[${negation ? "^" : ""}${classOf(members)}]`;
    return literal(escaped ?? plain);
  });
  return new RegExp(`^${source}$`, flags);
}

/** The members of [...]: characters and ranges of them. */
const classOf = (members: string): string =>
  members.replace(/(?:\\(.)|(.))(?:-(?:\\(.)|(.)))?/gsu, (range, escaped, plain, escapedEnd, plainEnd) => {
    const [first, last] = [escaped ?? plain, escapedEnd ?? plainEnd];
    if (last === undefined) return literal(first);
    if (last.codePointAt(0) >= first.codePointAt(0)) return `${literal(first)}-${literal(last)}`;
    throw new UsageError(`--exclude must have ranges that end after they begin, had [${fromText(range)}]`);
  });

const literal = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`;
