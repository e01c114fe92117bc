// Finds the hot code of a kernel in V8's machine code for ARM64, and has LLVM model it.
import { execFileSync } from "node:child_process";

/** The version that made the figures: the models of another one may differ. Debian has llvm-22. */
const LLVM = 22;
const BRANCH = /^(b|b\.\w+|cbn?z|tbn?z)$/;

/**
 * The functions that `--print-wasm-code` prints, each a list of { word, name, target }: the instruction in hexadecimal,
 * what V8 calls it, and the place in the list that a branch goes to.
 */
export function functionsIn(listing) {
  return listing.split("--- WebAssembly code ---\n").slice(1).map(instructionsIn);
}

function instructionsIn(code) {
  const found = [...code.matchAll(/^0x([0-9a-f]+) +[0-9a-f]+ +([0-9a-f]{8}) +(\S+)(.*)$/gm)];
  const places = new Map(found.map(([, address], place) => [address, place]));
  return found.map(([, , word, name, operands]) => {
    const address = BRANCH.test(name) && /\(addr 0x([0-9a-f]+)\)/.exec(operands)?.[1];
    return { word, name, target: places.get(address) };
  });
}

const count = (code, name) => code.filter((instruction) => instruction.name === name).length;

/** [first, last] of each loop: from where a branch back goes to until that branch. */
function loopsIn(code) {
  return code.flatMap(({ target }, place) => (target <= place ? [[target, place]] : []));
}

const smallest = (loops) => loops.sort(([a, b], [c, d]) => b - a - (d - c))[0];

/**
 * The hot code of a kernel: in the function with the most rotations, the smallest loop with at least half of them, or
 * without such a loop all code up to the return.
 * @returns { once, again }: what runs once for each pass, and what runs as often as `turns` says
 */
export function hotCode(functions, { rotation, turns }) {
  const code = functions.toSorted((a, b) => count(b, rotation) - count(a, rotation))[0];
  const most = count(code, rotation);
  if (most === 0) throw new Error(`no function of the kernel has the instruction ${rotation}`);
  const loops = loopsIn(code);
  const inner = smallest(loops.filter(([first, last]) => count(code.slice(first, last + 1), rotation) * 2 >= most));
  if (!turns) {
    const [first, last] = inner ?? [0, code.findIndex(({ name }) => name === "ret")];
    return { once: code.slice(first, last + 1), again: [] };
  }
  const outer = inner && smallest(loops.filter(([first, last]) => first < inner[0] && last > inner[1]));
  if (!outer) throw new Error("the kernel has no loop of rounds within one of blocks");
  const again = code.slice(inner[0], inner[1] + 1);
  return { once: [...code.slice(outer[0], inner[0]), ...code.slice(inner[1] + 1, outer[1] + 1)], again };
}

const llvm = (program, args, input) =>
  execFileSync(`${program}-${LLVM}`, args, {
    input,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "pipe"],
    maxBuffer: 2 ** 28,
  });

/** Assembler text in LLVM's syntax. */
export function assemblyOf(code) {
  const bytes = code.map(({ word }) =>
    word
      .match(/../g)
      .toReversed()
      .map((byte) => `0x${byte}`)
      .join(" "),
  );
  return llvm("llvm-mc", ["-disassemble", "-triple=aarch64", "-mattr=+all"], `${bytes.join("\n")}\n`)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line && !line.startsWith("."));
}

/** Moves a single lane. Loads, stores, and constants, whose halves V8 makes in x16, are not meant. */
const LANE_MOVE = /^(mov|umov|smov|ins|dup)\t(?!.*x16$).*v\d+(\.\w+)?\[/;
/** Loads and stores on the machine's stack, which kernels use only for values without a register. */
const SPILL = /^(ldu?r|ldp|stu?r|stp)\t.*\[(sp|x29)\b/;

export const laneMoves = (assembly) => assembly.filter((line) => LANE_MOVE.test(line)).length;
export const spills = (assembly) => assembly.filter((line) => SPILL.test(line)).length;

/** Cycles of a pass over code that runs again and again, as llvm-mca models a processor. */
export function cyclesOf(assembly, processor) {
  if (assembly.length === 0) return 0;
  const iterations = 50;
  const report = llvm(
    "llvm-mca",
    ["-mtriple=aarch64", `-mcpu=${processor}`, `-iterations=${iterations}`],
    `${assembly.join("\n")}\n`,
  );
  return Number(/^Total Cycles: +(\d+)/m.exec(report)[1]) / iterations;
}
