// Words of 32 bits, for BLAKE-256, BLAKE2s and BLAKE3. u64.h has the same names for words of 64 bits:
//   word                 in memory
//   scalar               to compute with: add, exor, rotr
//   row                  four words of one message's state
//   vector               a word of each of LANES messages
//   R1 .. R4             the rotations of G (RFC 7693 section 2.1)
#pragma once
#include "../words.h"

#define R1 16
#define R2 12
#define R3 8
#define R4 7

typedef u32 word, scalar;

#define store_word store32
INLINE word swap_word(word x) { return __builtin_bswap32(x); }

#define add(a, b) ((a) + (b))
#define exor(a, b) ((a) ^ (b))
#define scalar_of(x) (x)
#ifdef JAVASCRIPT
// What takes longest without a compiler is memory: so a chaining value is in locals from the first block to the last.
#define CHAIN_IN_LOCALS 1
#define EACH_BLOCK INLINE
#define load_scalar load_u32
#define store_scalar store_u32
#define message_word load_u32
// Without the asm statement clang would see a rotation, for which Binaryen calls a function.
INLINE scalar rotr(scalar x, int count) {
  u32 same = x;
  __asm__("" : "+r"(same));
  return x >> count | same << (32 - count);
}
#define store_swapped(to, from) store_u32(to, load_big_endian(from))
#else
#define CHAIN_IN_LOCALS 0
#define EACH_BLOCK STATIC_NOINLINE
INLINE scalar load_scalar(const word *p) { return *p; }
INLINE void store_scalar(word *p, scalar x) { *p = x; }
#define message_word load32
INLINE scalar rotr(scalar x, int count) { return __builtin_rotateright32(x, count); }
#define store_swapped(to, from) store32(to, swap_word(load32(from)))
#endif

INLINE void copy_words(word *to, const word *from, u32 count) {
  for (u32 i = 0; i < count; i++) store_scalar(&to[i], load_scalar(&from[i]));
}

#ifdef SIMD

#define LANES 4

typedef u32 u32x4 __attribute__((vector_size(16)));
typedef i32 i32x4 __attribute__((vector_size(16)));
typedef u32 __attribute__((vector_size(16), aligned(1), may_alias)) unaligned_u32x4;
typedef u32x4 row, vector;

INLINE u32x4 load_u32x4(const void *p) { return *(const unaligned_u32x4 *)p; }
INLINE void store_u32x4(void *p, u32x4 x) { *(unaligned_u32x4 *)p = x; }
INLINE u32x4 splat(u32 x) { return (u32x4){x, x, x, x}; }
INLINE i32x4 load_i32x4(const void *p) { return (i32x4)load_u32x4(p); }
INLINE i32x4 splat_i32x4(i32 x) { return (i32x4){x, x, x, x}; }
INLINE i32x4 min_i32x4(i32x4 a, i32x4 b) { return (i32x4)wasm_i32x4_min((v128_t)a, (v128_t)b); }

// The masks of the rotations by whole bytes.
typedef struct {
  v128_t by_16, by_8;
} masks;
#define MASKS                                                                 \
  ((masks){                                                                   \
      wasm_i8x16_const(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13), \
      wasm_i8x16_const(1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12)})
INLINE masks hoisted_masks(void) {
  masks m = MASKS;
  HOIST(m.by_16);
  HOIST(m.by_8);
  return m;
}

INLINE u32x4 rotr_by(u32x4 x, int count, masks m) {
  if (count == 16) return (u32x4)swizzle(x, m.by_16);
  if (count == 8) return (u32x4)swizzle(x, m.by_8);
  return (x >> count) | (x << (32 - count));
}
INLINE u32x4 rotr_vector(u32x4 x, int count) { return rotr_by(x, count, MASKS); }

// A shift is added, not ORed, because V8 makes one instruction of that on ARM64. The asm statement keeps clang from
// making an OR of the sum.
INLINE u32x4 rotr_by_sum(u32x4 x, int count, masks m) {
  if (count % 8 == 0) return rotr_by(x, count, m);
  u32x4 high = x << (32 - count);
  __asm__("" : "+r"(high));
  return high + (x >> count);
}

// ---- rows ----

#define rotr_row rotr_by
#define load_row load_u32x4
#define store_row store_u32x4
INLINE row pin(row sum) {
  __asm__("" : "+r"(sum));
  return sum;
}
INLINE row swap_row(row x) { return (row)swizzle(x, wasm_i8x16_const(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)); }
// The words at four byte offsets.
INLINE row gather_row(const u8 *words, const u8 at[4]) {
  v128_t x = wasm_v128_load32_zero(words + at[0]);
  x = wasm_v128_load32_lane(words + at[1], x, 1);
  x = wasm_v128_load32_lane(words + at[2], x, 2);
  return (row)wasm_v128_load32_lane(words + at[3], x, 3);
}

// ---- lanes ----

#define shuffle_u32x4(a, b, i, j, k, l) ((u32x4)wasm_i32x4_shuffle((v128_t)(a), (v128_t)(b), i, j, k, l))

// Transposes four rows of four words into four columns, by zips of 32-bit words alone: V8 before 13 makes a chain of
// moves from lane to lane of a zip of 64-bit words on ARM64.
INLINE void transpose_u32x4(u32x4 *a, u32x4 *b, u32x4 *c, u32x4 *d) {
  u32x4 ac01 = shuffle_u32x4(*a, *c, 0, 4, 1, 5), ac23 = shuffle_u32x4(*a, *c, 2, 6, 3, 7);
  u32x4 bd01 = shuffle_u32x4(*b, *d, 0, 4, 1, 5), bd23 = shuffle_u32x4(*b, *d, 2, 6, 3, 7);
  *a = shuffle_u32x4(ac01, bd01, 0, 4, 1, 5);
  *b = shuffle_u32x4(ac01, bd01, 2, 6, 3, 7);
  *c = shuffle_u32x4(ac23, bd23, 0, 4, 1, 5);
  *d = shuffle_u32x4(ac23, bd23, 2, 6, 3, 7);
}

// From the rows of words at a byte offset to vectors of the words in the same place of each row, and back.
INLINE void load_columns(vector columns[4], const u8 *const rows[4], u32 at) {
  for (int i = 0; i < 4; i++) columns[i] = load_u32x4(rows[i] + at);
  transpose_u32x4(&columns[0], &columns[1], &columns[2], &columns[3]);
}
INLINE void store_columns(vector columns[4], u8 *const rows[4], u32 at) {
  transpose_u32x4(&columns[0], &columns[1], &columns[2], &columns[3]);
  for (int i = 0; i < 4; i++) store_u32x4(rows[i] + at, columns[i]);
}

#else
#define LANES 1
#endif
