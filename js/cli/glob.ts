// Patterns of --exclude: *, ? and [...] within a name, ** across folders.

/** Whether a path inside a folder, with "/" as the separator, is excluded. */
export type Exclusion = (path: string) => boolean;

/** A pattern without "/" matches the last name of a path at any depth, one with "/" the whole path in the folder. */
export function exclusionOf(patterns: readonly string[]): Exclusion {
  const tests = patterns.map((pattern) => {
    const expression = expressionOf(pattern.replace(/^\.?\/|\/$/g, ""));
    return pattern.replace(/\/$/, "").includes("/")
      ? (path: string) => expression.test(path)
      : (path: string) => expression.test(path.slice(path.lastIndexOf("/") + 1));
  });
  return (path) => tests.some((test) => test(path));
}

const TOKENS = /\*\*\/|\*\*|\*|\?|\[(!|\^)?(\]?[^\]]*)\]|\\(.)|(.)/gs;

function expressionOf(pattern: string): RegExp {
  const source = pattern.replace(TOKENS, (token, negation, members, escaped, plain) => {
    if (token === "**/") return "(?:.*/)?";
    if (token === "**") return ".*";
    if (token === "*") return "[^/]*";
    if (token === "?") return "[^/]";
    if (members !== undefined) return `[${negation ? "^/" : ""}${members.replace(/[\\\]^[]/g, "\\$&")}]`;
    return (escaped ?? plain).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  });
  return new RegExp(`^${source}$`, "s");
}
