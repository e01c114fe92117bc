// Wildcards in the names of files, which shells of Unix expand, and cmd.exe and PowerShell leave to programs.
import { existsSync, readdirSync } from "node:fs";
import { pathOf, toText } from "../system/byte-strings.js";
import { expressionOf } from "./exclusion.js";

const WILDCARD = /[*?[]/;

/**
 * Returns the files that a name with *, ? or [...] matches on Windows, sorted. If a file has that very name, or none
 * matches, it is the name itself.
 */
export function expand(name: string): readonly string[] {
  if (process.platform !== "win32" || !WILDCARD.test(name) || existsSync(pathOf(name))) return [name];
  try {
    const found = [...matches("", name.replaceAll("\\", "/").split("/"))];
    return found.length > 0 ? found : [name];
  } catch {
    // A range that ends before it begins.
    return [name];
  }
}

/** @param above the path so far, with a slash at its end */
function* matches(above: string, [part = "", ...rest]: readonly string[]): Generator<string, void, undefined> {
  for (const name of WILDCARD.test(part) ? namesLike(above, part) : [part]) {
    if (rest.length > 0) yield* matches(`${above + name}/`, rest);
    else if (existsSync(pathOf(above + name))) yield above + name;
  }
}

function namesLike(folder: string, pattern: string): string[] {
  const expression = expressionOf(toText(pattern), "sui");
  try {
    const names = readdirSync(pathOf(folder || "."), { encoding: "latin1" as BufferEncoding });
    return names.filter((name) => expression.test(toText(name))).sort();
  } catch {
    // No folder.
    return [];
  }
}
