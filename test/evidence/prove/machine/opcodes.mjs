// The instructions that kernels use, by the names of WebAssembly 2.0 (section 5.4). A code behind a prefix is the
// prefix times 2^12 and a number.

const [BULK, SIMD] = [0xfc000, 0xfd000];
const INTEGER = "clz ctz popcnt add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr";
const COMPARISON = "eqz eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u";
const of = (type, names) => names.replaceAll(/\w+/g, `${type}.$&`);

/** The first code of neighbours, and their names; those without a name are not known. */
const neighbours = [
  [0x00, "unreachable nop block loop if else"],
  [0x0b, "end br br_if br_table return call"],
  [0x1a, "drop select"],
  [0x20, "local.get local.set local.tee global.get global.set"],
  [0x28, "i32.load i64.load f32.load - i32.load8_s i32.load8_u i32.load16_s i32.load16_u"],
  [0x30, "i64.load8_s i64.load8_u i64.load16_s i64.load16_u i64.load32_s i64.load32_u"],
  [0x36, "i32.store i64.store f32.store - i32.store8 i32.store16 i64.store8 i64.store16 i64.store32"],
  [0x41, "i32.const i64.const"],
  [0x45, of("i32", COMPARISON)],
  [0x50, of("i64", COMPARISON)],
  [0x67, of("i32", INTEGER)],
  [0x79, of("i64", INTEGER)],
  [0x95, "f32.div"],
  [0xa7, "i32.wrap_i64"],
  [0xac, "i64.extend_i32_s i64.extend_i32_u"],
  [0xc0, "i32.extend8_s i32.extend16_s"],
  [BULK + 10, "memory.copy memory.fill"],
  [SIMD, "v128.load"],
  [SIMD + 9, "v128.load32_splat v128.load64_splat v128.store v128.const i8x16.shuffle i8x16.swizzle"],
  [SIMD + 17, "i32x4.splat i64x2.splat"],
  [SIMD + 27, "i32x4.extract_lane i32x4.replace_lane i64x2.extract_lane i64x2.replace_lane"],
  [SIMD + 55, of("i32x4", "eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u")],
  [SIMD + 78, "v128.and v128.andnot v128.or v128.xor v128.bitselect"],
  [SIMD + 86, "v128.load32_lane v128.load64_lane - - v128.store32_lane v128.store64_lane"],
  [SIMD + 92, "v128.load32_zero v128.load64_zero"],
  [SIMD + 171, "i32x4.shl - i32x4.shr_u i32x4.add - - i32x4.sub - - - i32x4.mul i32x4.min_s i32x4.min_u"],
  [SIMD + 203, "i64x2.shl - i64x2.shr_u i64x2.add - - i64x2.sub"],
];
const all = neighbours.flatMap(([first, list]) => list.split(" ").map((name, i) => [first + i, name]));
const names = new Map(all.filter(([, name]) => name !== "-"));
const codes = new Map([...names].map(([code, name]) => [name, code]));

/** The name of an instruction that `reader` is at, or `undefined`. */
export function readName(reader) {
  const code = reader.byte();
  return names.get(code === 0xfc || code === 0xfd ? code * 2 ** 12 + reader.number() : code);
}

/** A number in LEB128. */
export const leb = (n) => (n < 128 ? [n] : [(n % 128) | 128, ...leb(Math.floor(n / 128))]);

function signedLeb(n) {
  const rest = Math.floor(n / 128);
  const isLast = rest === (n & 64 ? -1 : 0);
  return isLast ? [n & 127] : [(n & 127) | 128, ...signedLeb(rest)];
}

/** The bytes of code: instructions by their names, each followed by its numbers. */
export function assemble(text) {
  return text.split(" ").flatMap((word) => {
    const code = codes.get(word);
    if (code === undefined) return signedLeb(Number(word));
    return code < 0x100 ? [code] : [code >> 12, ...leb(code & 0xfff)];
  });
}
