// The mutants of a C source: one token replaced, or one statement removed. Sources are formatted by clang-format, so spaces
// around an operator show that it has two operands.

/** Alternatives for what a pattern matches; a function gets the match. */
const rules = [
  [/ < /g, [" <= "]],
  [/ <= /g, [" < "]],
  [/ > /g, [" >= "]],
  [/ >= /g, [" > "]],
  [/ == /g, [" != "]],
  [/ != /g, [" == "]],
  [/ && /g, [" || "]],
  [/ \|\| /g, [" && "]],
  [/ \+ /g, [" - "]],
  [/ - /g, [" + "]],
  [/ \^ /g, [" | "]],
  [/ \| /g, [" & "]],
  [/ & /g, [" | "]],
  [/ << /g, [" >> "]],
  [/ >> /g, [" << "]],
  [/ % /g, [" / "]],
  [/ \/ /g, [" % "]],
  [/ \+= /g, [" -= ", " = "]],
  [/ -= /g, [" += "]],
  [/ \^= /g, [" = ", " += "]],
  [/ \|= /g, [" = "]],
  // Rotations are in the names of lanes.h's functions, too; other numbers are bounds, counts, schedule entries and constants.
  [
    /(?<![\w.])(0x[0-9a-f]+|\d+)(?![\w.]|\))/g,
    (number) => [number.startsWith("0x") ? `(${number} ^ 1)` : `${Number(number) + 1}`],
  ],
  [/(?<=[(\d] ?)(?<![\w.])\d+(?=\))/g, (number) => [`${Number(number) + 1}`]],
  [/(?<=\bif )\((?!.*\bif\b)(.*?)\)(?= \w| \{|;|$)/g, () => ["(0)", "(1)"]],
  [/\bwipe(?:_words)?\([^;{}]*\);/g, () => [";"]],
  [/\bcopy(?:_cv)?\([^;{}]*\);/g, () => [";"]],
  [/ \? ([^:?]+) : ([^;,)]+)/g, (_, yes, no) => [` ? ${no} : ${yes}`]],
];

/** Parts in which no change counts: comments, directives that are not definitions, and checks of the debug build. */
function isCode(line) {
  if (/^\s*\/\//.test(line) || /^\s*_Static_assert/.test(line)) return false;
  if (/^\s*#/.test(line)) return /^\s*# *define \w+(\(| )/.test(line);
  return !/^\s*require\w*\(/.test(line);
}

const withoutComment = (line) => line.replace(/\/\/.*$/, "");

export function mutantsOfC(file, text) {
  const mutants = [];
  let start = 0;
  for (const [i, line] of text.split("\n").entries()) {
    const code = withoutComment(line);
    if (isCode(line)) {
      for (const [pattern, alternatives] of rules) {
        for (const match of code.matchAll(pattern)) {
          const to = typeof alternatives === "function" ? alternatives(...match) : alternatives;
          for (const other of to)
            mutants.push({ file, line: i + 1, at: start + match.index, from: match[0], to: other });
        }
      }
    }
    start += line.length + 1;
  }
  return mutants.filter(({ from, to }) => from !== to);
}
