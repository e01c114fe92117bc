// wasm/build/shorten.mjs rewrites the kernels' JavaScript: random programs of assignments compute the same after it.
import fc from "fast-check";
import { expect, test } from "vitest";
import { shortenedCode } from "../../wasm/build/shorten.mjs";

const LOCALS = ["$0", "$1", "$2", "$3", "$4"];
const local = fc.constantFrom(...LOCALS);
const word = fc.oneof(local, fc.integer({ min: 0, max: 40 }).map(String), fc.constantFrom("HEAP32[$0 >> 2 & 7]"));
const value = fc.oneof(
  word,
  fc.tuple(word, fc.constantFrom("+", "-"), word).map(([a, sign, b]) => `${a} ${sign} ${b} | 0`),
  fc.tuple(word, word, word).map(([a, b, c]) => `(${a} + ${b} | 0) + ${c} | 0`),
  fc.tuple(word, word, word).map(([a, b, c]) => `${a} - (${b} + ${c} | 0) | 0`),
  fc.tuple(word, fc.constantFrom("^", "&", "|"), word).map(([a, sign, b]) => `${a} ${sign} ${b}`),
  fc.tuple(local, fc.integer({ min: 1, max: 31 })).map(([a, n]) => `${a} << ${32 - n} | ${a} >>> ${n}`),
  fc.tuple(local, fc.integer({ min: 1, max: 31 })).map(([a, n]) => `${a} >>> ${n} | 0`),
  fc.tuple(word, word).map(([a, b]) => `~${a} * (${b} & 3) | 0`),
  fc.tuple(word, word).map(([a, b]) => `${a} * 3 + ${b} | 0`),
  fc.tuple(word, word, word).map(([a, b, c]) => `${a} ^ (${b} ^ (${c} + 7 | 0))`),
);
const assignment = fc.tuple(local, value).map(([name, text]) => `  ${name} = ${text};`);
// What no run goes beyond.
const barrier = fc.oneof(
  local.map((name) => `  HEAP32[1] = ${name};`),
  local.map((name) => `  if (${name} & 1) {\n   $1 = $2 ^ 5;\n   $3 = $1 + $4 | 0;\n  }`),
  local.map((name) => `  if (($2 = ${name} + 1 | 0) & 1) {\n   HEAP32[3] = $2;\n  } else {\n   $4 = $2 ^ $3;\n  }`),
  local.map(
    (name) =>
      `  $2 = 3;\n  while (1) {\n   $4 = $3 ^ ${name};\n   $3 = $4 + $1 | 0;\n   $2 = $2 - 1 | 0;\n   if ($2) {\n    continue;\n   }\n   break;\n  }`,
  ),
  fc.constant("  $4 = bump();"),
);
const program = fc.array(fc.oneof({ weight: 6, arbitrary: assignment }, barrier), { minLength: 1, maxLength: 40 });

function run(code: string, seed: number): unknown {
  const memory = "var HEAP32 = Int32Array.from([1, -2, 3, 1 << 31, 5, -6, 7, 8]);";
  const bump = "function bump() { return HEAP32[2]++; }";
  return new Function(`${memory} ${bump} ${code} return [f(${seed}, ${~seed}), ...HEAP32];`)();
}

test("a program computes the same, with fewer statements", () => {
  let [before, after] = [0, 0];
  fc.assert(
    fc.property(program, fc.integer(), (lines, seed) => {
      const code = ` function f($0, $1) {\n  var $2 = 0, $3 = 0, $4 = 0;\n${lines.join("\n")}\n  return $0 ^ $1 + $4;\n }\n`;
      const short = shortenedCode(code);
      before += code.split("\n").length;
      after += short.split("\n").length;
      expect(run(short, seed)).toEqual(run(code, seed));
    }),
    { numRuns: 700 },
  );
  expect(after).toBeLessThan(0.95 * before);
});

/** What becomes of the body of a function. */
function rewritten(...lines: string[]): string[] {
  const code = ` function f($0, $1, $2) {\n${lines.map((line) => `  ${line}\n`).join("")} }\n`;
  return shortenedCode(code)
    .split("\n")
    .slice(1, -2)
    .map((line) => line.slice(2));
}

test("a value is computed where it is read first, and a conversion that changes nothing is left out", () => {
  expect(rewritten("$2 = $0 + $1 | 0;", "$1 = ($2 + $0 | 0) + 5 | 0;", "return $1 ^ $2;")).toEqual([
    "$1 = $0 + (($2 = $0 + $1 | 0) + 5) | 0;",
    "return $1 ^ $2;",
  ]);
});

test("locals are left operands; numbers, and what was computed last, are right ones", () => {
  expect(rewritten("$2 = ($1 << 3) + 5 + $0 | 0;", "return $2;")).toEqual([
    "$2 = $0 + (($1 << 3) + 5) | 0;",
    "return $2;",
  ]);
  expect(rewritten("$1 = ~$0;", "$2 = $1 ^ $2;", "return $1 ^ $2;")).toEqual([
    "$2 = $2 ^ ($1 = ~$0);",
    "return $1 ^ $2;",
  ]);
});

test("a sum with a product, which may not be exact, keeps its grouping", () => {
  const lines = rewritten("$2 = $0 * $1 + $2 + $1 + ~$0 | 0;", "return $2;");
  const [one, two, three] = [-46_489_735, 384_358_433, 1_843_360_524];
  const value = new Function("$0", "$1", "$2", lines.join("\n"))(one, two, three);
  expect(value).toBe((one * two + three + two + ~one) | 0);
});

test("a value that is read after what it reads has changed, or after a call, stays where it is", () => {
  for (const lines of [
    ["$1 = $0 + 1 | 0;", "$2 = ($0 = 5) + $1 | 0;", "return $2 ^ $0;"],
    ["$1 = HEAP32[$0 >> 2];", "$2 = bump() + $1 | 0;", "return $2;"],
    ["$1 = $0 + 1 | 0;", "$2 = $0 ? $1 : 0;", "return $2 + $1 | 0;"],
  ])
    expect(rewritten(...lines).slice(0, 1)).toEqual(lines.slice(0, 1));
});

test("a sum that is compared keeps the conversions inside it", () => {
  expect(rewritten("return ($0 + $1 | 0) + $2 < 0;")).toEqual(["return $2 + ($0 + $1 | 0) < 0;"]);
});
