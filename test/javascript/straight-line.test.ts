// wasm/straight-line.mjs rewrites the kernels' JavaScript: random programs of assignments compute the same after it.
import fc from "fast-check";
import { expect, test } from "vitest";
import { straightened } from "../../wasm/straight-line.mjs";

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
);
const assignment = fc.tuple(local, value).map(([name, text]) => `  ${name} = ${text};`);
// What no run goes beyond.
const barrier = fc.oneof(
  local.map((name) => `  HEAP32[1] = ${name};`),
  local.map((name) => `  if (${name} & 1) {\n   $1 = $2 ^ 5;\n   $3 = $1 + $4 | 0;\n  }`),
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
      const short = straightened(code);
      before += code.split("\n").length;
      after += short.split("\n").length;
      expect(run(short, seed)).toEqual(run(code, seed));
    }),
    { numRuns: 1000 },
  );
  expect(after).toBeLessThan(0.8 * before);
});

test("a value that is read once is computed where it is read, and a conversion that changes nothing is left out", () => {
  const code =
    " function f($0, $1) {\n  var $2 = 0, $3 = 0;\n  $2 = $0 + $1 | 0;\n  $3 = $2 + $0 | 0;\n  return $3;\n }\n";
  expect(straightened(code)).toBe(" function f($0, $1) {\n  var $3 = 0;\n  $3 = $0 + $1 + $0 | 0;\n  return $3;\n }\n");
});
