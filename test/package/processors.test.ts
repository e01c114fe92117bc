// What the benchmarks say of processors: bench/timing/processor.mjs, and bench/arm64/arm64-code.mjs.
import { describe, expect, it, vi } from "vitest";
import { functionsIn, hotCode, laneMoves, spills } from "../../bench/arm64/arm64-code.mjs";
import { folderOf, identify, vectorLatency } from "../../bench/timing/processor.mjs";

describe("bench/timing/processor.mjs", () => {
  const linux = (vendor: string, family: number, model: number) =>
    `processor\t: 0\nvendor_id\t: ${vendor}\ncpu family\t: ${family}\nmodel\t\t: ${model}\nmodel name\t: unsaid\n`;

  it.each([
    ["AMD EPYC", linux("AuthenticAMD", 25, 17), "AMD Zen 4", "amd-zen-4"],
    ["AMD EPYC", linux("AuthenticAMD", 25, 1), "AMD Zen 3", "amd-zen-3"],
    ["AMD EPYC", linux("AuthenticAMD", 26, 2), "AMD Zen 5", "amd-zen-5"],
    ["AMD EPYC", linux("AuthenticAMD", 23, 49), "AMD family 23 model 49", "amd-family-23-model-49"],
    ["Xeon", linux("GenuineIntel", 6, 207), "Intel Emerald Rapids", "intel-emerald-rapids"],
    ["Core", linux("GenuineIntel", 6, 151), "Intel family 6 model 151", "intel-family-6-model-151"],
    ["AMD EPYC", "AMD64 Family 25 Model 97 Stepping 2, AuthenticAMD", "AMD Zen 4", "amd-zen-4"],
    ["Xeon", "Intel64 Family 6 Model 143 Stepping 8, GenuineIntel", "Intel Sapphire Rapids", "intel-sapphire-rapids"],
    ["Snapdragon", "ARMv8 (64-bit) Family 8 Model 1 Revision 201, Qualcomm", "Snapdragon", "snapdragon"],
    ["unknown", "CPU implementer\t: 0x41\nCPU part\t: 0xd40\n", "Neoverse V1", "neoverse-v1"],
    ["Apple M1", "", "Apple M1", "apple-m1"],
  ])("calls %s, of which the system says %j, %s", (cpu, told, processor, folder) => {
    expect(identify(cpu, told)).toMatchObject({ processor });
    expect(folderOf(identify(cpu, told))).toBe(folder);
  });

  it("measures a latency by the shortest runs of both chains", () => {
    const took = [5, 9, 2, 8, 4, 6];
    let now = 0;
    let reads = 0;
    const clock = vi.spyOn(performance, "now");
    // Each run reads it twice.
    clock.mockImplementation(() => (now += reads++ % 2 ? (took[reads / 2 - 1] ?? 10) : 1));
    expect(vectorLatency()).toBe(6 / 2);
    clock.mockRestore();
    expect(vectorLatency()).toBeGreaterThan(0);
  });
});

/** As V8 prints a function: lines of an address, an offset, a word and text. */
const listing = (...lines: string[]) =>
  `--- WebAssembly code ---\nindex: 0\n${lines
    .map(
      (text, place) => `0x${(4096 + 4 * place).toString(16)} ${place} ${place.toString(16).padStart(8, "0")} ${text}\n`,
    )
    .join("")}--- End code ---\n`;
const jump = (place: number) => `#-0x0 (addr 0x${(4096 + 4 * place).toString(16)})`;
const places = (code: readonly { word: string }[]) => code.map(({ word }) => Number.parseInt(word, 16));

describe("bench/arm64/arm64-code.mjs", () => {
  const other = listing("add w0, w0, w1", "ret");
  const loop = listing("add x", "str x", "ror x", "ror x", "add x", `b.ne ${jump(2)}`, `b ${jump(1)}`, "ret");
  const nested = listing(
    "shl x",
    "add x",
    "add x",
    "shl v",
    "shl v",
    `cbnz w1, ${jump(3)}`,
    "add x",
    `b.hi ${jump(1)}`,
    "ret",
  );

  it("finds the smallest loop that rotates", () => {
    expect(places(hotCode(functionsIn(other + loop), { rotation: "ror" }).once)).toEqual([2, 3, 4, 5]);
  });

  it("takes a function without a loop until it returns", () => {
    const straight = listing("ror x", "add x", "ret", "brk #0");
    expect(places(hotCode(functionsIn(straight + other), { rotation: "ror" }).once)).toEqual([0, 1, 2]);
  });

  it("tells the loop of rounds from the loop of blocks around it", () => {
    const { once, again } = hotCode(functionsIn(nested), { rotation: "shl", turns: 7 });
    expect([places(once), places(again)]).toEqual([
      [1, 2, 6, 7],
      [3, 4, 5],
    ]);
    expect(() => hotCode(functionsIn(loop), { rotation: "tbl" })).toThrow(/no function/);
    expect(() => hotCode(functionsIn(other), { rotation: "add", turns: 2 })).toThrow(/no loop of rounds/);
  });

  it("counts single lanes that move, and values on the stack", () => {
    const moves = [
      "mov\tv2.s[0], v8.s[0]",
      "mov\tv8.s[2], w5",
      "mov\tw2, v0.s[1]",
      "dup\tv1.2d, v0.d[1]",
      "umov\tw1, v2.b[3]",
    ];
    const none = [
      "mov\tv1.d[1], x16",
      "mov\tv1.16b, v2.16b",
      "dup\tv1.4s, w3",
      "ld1\t{ v1.s }[1], [x8]",
      "mov\tw0, w1",
    ];
    expect([laneMoves(moves), laneMoves(none)]).toEqual([5, 0]);
    const stack = ["str\tq1, [sp, #16]", "ldp\tx1, x2, [sp]", "ldur\tq0, [x29, #-48]", "stp\tw1, w2, [x29, #-8]"];
    expect([spills(stack), spills(["ldr\tq0, [x1, x8]", "add\tx0, sp, #16"])]).toEqual([4, 0]);
  });
});
