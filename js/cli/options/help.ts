// The output of --help and the man page, generated from the table of options.
import { algorithmList } from "../hashing/algorithms.js";
import { GROUPS, visibleOptions } from "./table.js";

const USAGE = "Usage: blakesum [OPTION]... [FILE]...";

const PURPOSE = "Print or check BLAKE checksums. With no FILE, or when FILE is -, read standard input.";

const ABOUT_LISTS = `A list to check holds lines as printed here, with or without --tag, or as printed by b2sum, b3sum or OpenSSL. A tagged
line names its algorithm. That of the others is given by -a; without -a it is detected from the digests' length and by
trying on the first file. The digest's own length is taken, but fewer than 16 bytes only if the tag states them, as in
BLAKE2b-56, or --length does. Blank lines and lines that begin with # or ; are skipped.`;

const ABOUT_PARTS = `One object can be hashed by several machines. --subtree prints OFFSET+LEN and a chaining value for one part; read from
standard input, FILE is the part alone. --merge reads these lines from FILE, in any order, and prints the object's digest.
PART is a power of 2 from 1024, and each OFFSET a multiple of it; the last part may be shorter. An object of one part has
nothing to merge: hash it as a whole. --keyed, --key and --derive-key apply, the same for all parts and the merge.`;

const EXIT_STATUS = `Exit status: 0 all went well; 1 a file could not be read, a checksum did not match or a list was malformed;
2 the command line was wrong.`;

const EXAMPLES = `  blakesum FILE... > sums       write checksums, as b3sum does
  blakesum -c sums              verify them
  blakesum -a blake2b FILE...   as b2sum does
  blakesum -r FOLDER            all files of a folder`;

export const shortHelp = (): string => `${USAGE}
${PURPOSE}

${EXAMPLES}

${visibleOptions
  .filter(([, { group }]) => group === "common")
  .map(optionLine)
  .join("")}
Try 'blakesum --help' for all options.
`;

export function helpText(): string {
  const groups = optionGroups(optionLine, (title) => `${title}:\n`);
  return `${USAGE}
${PURPOSE}

${groups.join("\n")}
Algorithms (digest length in bytes):
${algorithmLines()}

${ABOUT_LISTS}

${ABOUT_PARTS}

${EXIT_STATUS}
`;
}

type Entry = (typeof visibleOptions)[number];

/** The options that are not hidden, by groups with titles. */
const optionGroups = (write: (entry: Entry) => string, writeTitle: (title: string) => string): string[] =>
  Object.entries(GROUPS).map(([name, title]) => {
    const own = visibleOptions.filter(([, { group }]) => group === name);
    return (title && writeTitle(title)) + own.map(write).join("");
  });

function optionLine([name, { short, value, help }]: Entry): string {
  const letter = short === undefined ? "    " : `-${short}, `;
  const long = value === undefined ? `--${name}` : `--${name} ${value}`;
  return `  ${letter}${long.padEnd(23)} ${help}\n`;
}

function algorithmLines(): string {
  return algorithmList.map(({ algorithm, digestLength }) => `  ${algorithm.padEnd(9)} ${digestLength}`).join("\n");
}

export function manPage(version: string): string {
  const groups = optionGroups(manEntry, (title) => `.SS ${title}\n`);
  return `.TH BLAKESUM 1 "" "blake-simd ${escaped(version)}" "User Commands"
.SH NAME
blakesum \\- print or check BLAKE checksums
.SH SYNOPSIS
.B blakesum
[\\fIOPTION\\fR]... [\\fIFILE\\fR]...
.SH DESCRIPTION
${escaped(PURPOSE)}
.SH OPTIONS
${groups.join("")}.SH ALGORITHMS
${escaped(algorithmList.map(({ algorithm }) => algorithm).join(", "))}
.SH LISTS
${escaped(ABOUT_LISTS)}
.SH PARTS
${escaped(ABOUT_PARTS)}
.SH EXIT STATUS
${escaped(EXIT_STATUS.replace(/^Exit status: /, ""))}
.SH ENVIRONMENT
.TP
.B NO_COLOR
When it is set and not empty, nothing is colored unless \\fB\\-\\-color always\\fR asks for it.
.SH SEE ALSO
.BR b2sum (1)
`;
}

function manEntry([name, { short, value, help }]: Entry): string {
  const letter = short === undefined ? "" : `\\fB\\-${short}\\fR, `;
  const argument = value === undefined ? "" : ` \\fI${value}\\fR`;
  return `.TP\n${letter}\\fB\\-\\-${name.replaceAll("-", "\\-")}\\fR${argument}\n${escaped(help)}\n`;
}

/** Escapes text for troff, in which a line that begins with a dot is a request. */
const escaped = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/gm, "\\&$1");
