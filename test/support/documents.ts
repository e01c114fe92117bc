// The Markdown of the package: README.md and docs/, and the fenced code in it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./child.js";

export interface Fence {
  readonly file: string;
  readonly line: number;
  /** The words after the backquotes, such as "js node". */
  readonly info: string;
  readonly code: string;
}

export const pages: string[] = readdirSync(join(ROOT, "docs"))
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);

export const documents: string[] = ["README.md", ...pages];

export const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

export function fencesOf(file: string): Fence[] {
  const text = read(file);
  return [...text.matchAll(/^```(\w[^\n]*)\n(.*?)^```/gms)].map((match) => ({
    file,
    line: text.slice(0, match.index).split("\n").length + 1,
    info: match[1] as string,
    code: match[2] as string,
  }));
}

// "js dom" has types that only the DOM library declares.
const RUNNABLE = new Set(["js", "js node", "js dom", "ts"]);

/** The snippets that are run and compiled. Those of a migration need the other package: test/migrations runs them. */
export const snippets: Fence[] = documents.flatMap(fencesOf).filter(({ info }) => RUNNABLE.has(info));

/** A name for the module of a snippet. */
export const nameOf = ({ file, line }: Fence): string => `${file.replace(/\W/g, "-")}-${line}`;

/** What GitHub and the site make of a heading for links to it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}

/** The headings of a page as anchors. */
export function anchorsOf(text: string): string[] {
  const prose = text.replace(/^```.*?^```/gms, "");
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading as string));
}
