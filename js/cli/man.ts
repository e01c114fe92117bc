// The man page, generated from the table of options.
import { algorithmList } from "./algorithms.js";
import { ABOUT_LISTS, ABOUT_PARTS, EXIT_STATUS, PURPOSE, shownOptions } from "./help.js";
import { GROUPS, type Group, type OptionSpec } from "./options.js";

export function manPage(version: string): string {
  const groups = Object.entries(GROUPS).map(
    ([group, title]) =>
      `${title && `.SS ${title}\n`}${shownOptions(group as Group)
        .map(optionEntry)
        .join("")}`,
  );
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
When it is set and not empty, nothing is coloured unless \\fB\\-\\-color always\\fR asks for it.
.SH SEE ALSO
.BR b2sum (1)
`;
}

function optionEntry([name, { short, value, help }]: readonly [string, OptionSpec]): string {
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
