// Words of 64 bits, for BLAKE-512 and BLAKE2b: the same names as in u32.h. Two of G's rotations differ between them.
#pragma once
#include "../words.h"

#define R1 32
#define R3 16

#define CHAIN_IN_LOCALS 0
#define EACH_BLOCK STATIC_NOINLINE

typedef u64 word;

#define store_word store64
// clang's own takes eight shifts, which makes BLAKE-512 20 % slower.
INLINE word swap_word(word x) {
  x = (x >> 8 & 0x00ff00ff00ff00ff) | (x & 0x00ff00ff00ff00ff) << 8;
  x = (x >> 16 & 0x0000ffff0000ffff) | (x & 0x0000ffff0000ffff) << 16;
  return __builtin_rotateright64(x, 32);
}

#ifdef JAVASCRIPT
// JavaScript computes with 32 bits, so a word is a pair of them. V8 does not optimize a function that has all their
// rounds.
#define ROUNDS_IN_LOOP
typedef struct {
  u32 low, high;
} scalar;

INLINE scalar add(scalar a, scalar b) {
  u32 low = a.low + b.low;
  return (scalar){low, a.high + b.high + (low < b.low)};
}
INLINE scalar exor(scalar a, scalar b) { return (scalar){a.low ^ b.low, a.high ^ b.high}; }
INLINE scalar rotr(scalar x, int count) {
  if (count >= 32) x = (scalar){x.high, x.low};
  if (count % 32 == 0) return x;
  count %= 32;
  return (scalar){x.low >> count | x.high << (32 - count), x.high >> count | x.low << (32 - count)};
}
INLINE scalar load_scalar(const void *p) { return (scalar){load_u32(p), load_u32((const u8 *)p + 4)}; }
INLINE void store_scalar(void *p, scalar x) { store_u32(p, x.low), store_u32((u8 *)p + 4, x.high); }
#define message_word load_scalar
#define store_swapped(to, from) store_scalar(to, (scalar){load_big_endian((from) + 4), load_big_endian(from)})
INLINE scalar scalar_of(word x) { return (scalar){(u32)x, (u32)(x >> 32)}; }
#else
typedef u64 scalar;
#define add(a, b) ((a) + (b))
#define exor(a, b) ((a) ^ (b))
#define scalar_of(x) (x)
INLINE scalar load_scalar(const word *p) { return *p; }
INLINE void store_scalar(word *p, scalar x) { *p = x; }
#define message_word load64
#define store_swapped(to, from) store64(to, swap_word(load64(from)))
INLINE scalar rotr(scalar x, int count) { return __builtin_rotateright64(x, count); }
#endif

INLINE void copy_words(word *to, const word *from, u32 count) {
  for (u32 i = 0; i < count; i++) store_scalar(&to[i], load_scalar(&from[i]));
}

#ifdef SIMD

#define LANES 2

typedef u64 u64x2 __attribute__((vector_size(16)));
typedef u64x2 vector;
// A row of four 64-bit words is two vectors.
typedef u64 row __attribute__((vector_size(32)));
typedef u64 __attribute__((vector_size(32), aligned(1), may_alias)) unaligned_row;

INLINE u64x2 low(row x) { return __builtin_shufflevector(x, x, 0, 1); }
INLINE u64x2 high(row x) { return __builtin_shufflevector(x, x, 2, 3); }
INLINE row concat(u64x2 low, u64x2 high) { return __builtin_shufflevector(low, high, 0, 1, 2, 3); }

// The masks of the rotations by whole bytes.
typedef struct {
  v128_t by_16, by_24;
} masks;
#define MASKS                                                                 \
  ((masks){                                                                   \
      wasm_i8x16_const(2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9), \
      wasm_i8x16_const(3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10)})

INLINE u64x2 rotr_by(u64x2 x, int count, masks m) {
  if (count == 32) return (u64x2)wasm_i32x4_shuffle((v128_t)x, (v128_t)x, 1, 0, 3, 2);
  if (count == 24) return (u64x2)swizzle(x, m.by_24);
  if (count == 16) return (u64x2)swizzle(x, m.by_16);
  // Without the asm statement clang would turn the sum into a shift, of which many processors start half as many per
  // cycle.
  u64x2 same = x;
  __asm__("" : "+r"(same));
  return (x >> 63) | (x + same);
}
INLINE u64x2 rotr_vector(u64x2 x, int count) { return rotr_by(x, count, MASKS); }

// ---- rows ----

INLINE masks hoisted_masks(void) {
  masks m = MASKS;
  HOIST(m.by_16);
  return m;
}
INLINE row rotr_row(row x, int count, masks m) {
  if (count % 8) return (x >> count) | (x << (64 - count));
  return concat(rotr_by(low(x), count, m), rotr_by(high(x), count, m));
}
INLINE row load_row(const void *p) { return *(const unaligned_row *)p; }
INLINE void store_row(void *p, row x) { *(unaligned_row *)p = x; }
INLINE row pin(row sum) {
  u64x2 a = low(sum), b = high(sum);
  __asm__("" : "+r"(a), "+r"(b));
  return concat(a, b);
}
INLINE u64x2 swap_u64x2(u64x2 x) {
  return (u64x2)swizzle(x, wasm_i8x16_const(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
}
INLINE row swap_row(row x) { return concat(swap_u64x2(low(x)), swap_u64x2(high(x))); }
INLINE u64x2 gather_u64x2(const u8 *a, const u8 *b) { return (u64x2)wasm_v128_load64_lane(b, wasm_v128_load64_zero(a), 1); }
INLINE row gather_row(const u8 *words, const u8 at[4]) {
  return concat(gather_u64x2(words + at[0], words + at[1]), gather_u64x2(words + at[2], words + at[3]));
}

// ---- lanes ----

INLINE vector splat(u64 x) { return (vector){x, x}; }
// Word by word: V8 before 13 makes moves from lane to lane of a zip of 64-bit words on ARM64.
INLINE void load_columns(vector columns[2], const u8 *const rows[2], u32 at) {
  for (int i = 0; i < 2; i++, at += 8) columns[i] = gather_u64x2(rows[0] + at, rows[1] + at);
}
INLINE void store_columns(vector columns[2], u8 *const rows[2], u32 at) {
  for (int i = 0; i < 2; i++, at += 8) {
    wasm_v128_store64_lane(rows[0] + at, (v128_t)columns[i], 0);
    wasm_v128_store64_lane(rows[1] + at, (v128_t)columns[i], 1);
  }
}

#else
#define LANES 1
#endif
