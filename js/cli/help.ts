import { algorithmList } from "./algorithms.js";
import { optionEntries } from "./options.js";

export const USAGE = "Usage: blakesum [OPTION]... [FILE]...";

export function helpText(): string {
  return `${USAGE}
Print or check BLAKE checksums. With no FILE, or where FILE is -, read standard input.

${optionLines(undefined)}

When printing:
${optionLines("hash")}

When checking:
${optionLines("check")}

Algorithms (digest length in bytes):
${algorithmLines()}

A list to check holds lines as printed here, with or without --tag, or as printed by b2sum and b3sum. A tagged line
names its algorithm; the others are of the algorithm given by -a. The digest's own length is taken. Blank lines and
lines that begin with # are passed over.

Exit status: 0 all went well; 1 a file could not be read, a checksum did not match or a list was malformed;
2 the command line was wrong.
`;
}

function optionLines(action: "hash" | "check" | undefined): string {
  return optionEntries
    .filter(([, spec]) => spec.only === action)
    .map(([name, spec]) => {
      const short = spec.short === undefined ? "    " : `-${spec.short}, `;
      const long = spec.value === undefined ? `--${name}` : `--${name} ${spec.value}`;
      return `  ${short}${long.padEnd(22)} ${spec.help}`;
    })
    .join("\n");
}

function algorithmLines(): string {
  return algorithmList.map(({ algorithm, digestLength }) => `  ${algorithm.padEnd(9)} ${digestLength}`).join("\n");
}
