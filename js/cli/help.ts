// The output of --help, generated from the table of options.
import { algorithmList } from "./algorithms.js";
import { GROUPS, type Group, type OptionSpec, optionEntries } from "./options.js";

export const USAGE = "Usage: blakesum [OPTION]... [FILE]...";

export const PURPOSE = "Print or check BLAKE checksums. With no FILE, or when FILE is -, read standard input.";

export const ABOUT_LISTS = `A list to check holds lines as printed here, with or without --tag, or as printed by b2sum, b3sum or OpenSSL. A tagged
line names its algorithm. That of the others is given by -a; without -a it is found by the digests' length and by trying
on the first file. The digest's own length is taken. Blank lines and lines that begin with # are passed over.`;

export const ABOUT_PARTS = `One object can be hashed by several machines. --subtree prints OFFSET+LEN and a chaining value for one part; read from
standard input, FILE is the part alone. --merge reads these lines from FILE, in any order, and prints the object's digest.
PART is a power of 2 from 1024, and each OFFSET a multiple of it; the last part may be shorter. An object of one part has
nothing to merge: hash it as a whole. --keyed, --key and --derive-key apply, the same for all parts and the merge.`;

export const EXIT_STATUS = `Exit status: 0 all went well; 1 a file could not be read, a checksum did not match or a list was malformed;
2 the command line was wrong.`;

export function helpText(): string {
  const groups = Object.entries(GROUPS).map(
    ([group, title]) => `${title && `${title}:\n`}${optionLines(group as Group)}`,
  );
  return `${USAGE}
${PURPOSE}

${groups.join("\n\n")}

Algorithms (digest length in bytes):
${algorithmLines()}

${ABOUT_LISTS}

${ABOUT_PARTS}

${EXIT_STATUS}
`;
}

/** The options of a group that are not hidden. */
export const shownOptions = (group: Group): readonly (readonly [string, OptionSpec])[] =>
  optionEntries.filter(([, spec]) => spec.group === group && !spec.hidden);

function optionLines(group: Group): string {
  return shownOptions(group)
    .map(([name, spec]) => {
      const short = spec.short === undefined ? "    " : `-${spec.short}, `;
      const long = spec.value === undefined ? `--${name}` : `--${name} ${spec.value}`;
      return `  ${short}${long.padEnd(23)} ${spec.help}`;
    })
    .join("\n");
}

function algorithmLines(): string {
  return algorithmList.map(({ algorithm, digestLength }) => `  ${algorithm.padEnd(9)} ${digestLength}`).join("\n");
}
