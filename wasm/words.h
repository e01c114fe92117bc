// Words to compute with, alone and in vectors, and the builds: what differs between compilers and engines is here.
//
// WORD is the bits of the algorithm's words, 32 or 64, and JAVASCRIPT and LOOPS are builds, all from build.mjs. A build
// has SIMD if the file is compiled with vectors. Other files ask for the columns of this table:
//
//                        ROUNDS_IN_LOOP  ROUNDS_AT_A_TIME  GS_AT_A_TIME  INLINE_BLOCK  for
//   WebAssembly          0               1                 2             0             most engines
//   LOOPS                1               2                 2             0             Bun
//   JAVASCRIPT, WORD 32  0               1                 1             1             engines without WebAssembly
//   JAVASCRIPT, WORD 64  1               1                 1             0
//
//   ROUNDS_IN_LOOP    Written out, rounds have all words in locals, and the schedule is constants. But Bun's
//                     JavaScriptCore makes long functions slow: loops more than double the speed of lanes there, while
//                     V8 is 10 to 20 % slower with them, and V8 does not optimize all rounds of BLAKE2b in JavaScript.
//                     Loops index the words of a message, which are then on the C stack and have to be wiped.
//   ROUNDS_AT_A_TIME  of a loop over scalars.
//   GS_AT_A_TIME      Over scalars, two Gs take turns: one of them can run while the other waits for an operand. Engines
//                     without a compiler have no use for that.
//   INLINE_BLOCK      A block is compressed in line, and the chaining value is in locals from the first block to the
//                     last: memory is what takes longest without a compiler.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#if defined(JAVASCRIPT)
#define ROUNDS_IN_LOOP (WORD == 64)
#define ROUNDS_AT_A_TIME 1
#define GS_AT_A_TIME 1
#define INLINE_BLOCK (WORD == 32)
#elif defined(LOOPS)
#define ROUNDS_IN_LOOP 1
#define ROUNDS_AT_A_TIME 2
#define GS_AT_A_TIME 2
#define INLINE_BLOCK 0
#else
#define ROUNDS_IN_LOOP 0
#define ROUNDS_AT_A_TIME 1
#define GS_AT_A_TIME 2
#define INLINE_BLOCK 0
#endif

#ifdef __wasm_simd128__
#define SIMD 1
#endif

typedef uint8_t u8;
typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef unsigned __int128 u128;

#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))
// For what runs once per message or per state: small rather than fast.
#define SMALL static __attribute__((noinline, minsize))
#define UNROLLED _Pragma("clang loop unroll(full)")
#define ROLLED _Pragma("clang loop unroll(disable)")
// Of lanes, a message that rounds in a loop read is loaded by a function of its own: up to 18 % faster in Bun.
#if ROUNDS_IN_LOOP
#define EACH_ROUND ROLLED
#define LOADED_APART static NOINLINE
#else
#define EACH_ROUND UNROLLED
#define LOADED_APART INLINE
#endif
#if INLINE_BLOCK
#define PER_BLOCK INLINE
#else
#define PER_BLOCK static NOINLINE
#endif

// The value of x, of which clang knows nothing. It would undo what is faster in an engine: repeat a constant where it is
// used, make one operation of two or of another kind, move an addition. Values that are opaque_in_order are also
// computed in the order of the source. Where they are used, a comment has the engine and the gain. (On the host, where
// sanitizers run, no general register holds a vector.)
#ifdef __wasm__
#define opaque_by(statement, x) \
  ({                            \
    __typeof__(x) same = (x);   \
    statement("" : "+r"(same)); \
    same;                       \
  })
#else
#define opaque_by(statement, x) (x)
#endif
#define opaque(x) opaque_by(__asm__, x)
#define opaque_in_order(x) opaque_by(__asm__ volatile, x)

// ---- memory ----

// WebAssembly is little-endian and allows any alignment, so a load decodes the little-endian words of BLAKE2 and
// BLAKE3.
typedef u32 __attribute__((aligned(1), may_alias)) unaligned_u32;
typedef u64 __attribute__((aligned(1), may_alias)) unaligned_u64;
INLINE u32 load32(const void *p) { return *(const unaligned_u32 *)p; }
INLINE u64 load64(const void *p) { return *(const unaligned_u64 *)p; }
INLINE void store32(void *p, u32 x) { *(unaligned_u32 *)p = x; }
INLINE void store64(void *p, u64 x) { *(unaligned_u64 *)p = x; }

// JavaScript reads words at aligned addresses only.
#ifdef JAVASCRIPT
#define ALIGNED __attribute__((aligned(8)))
#define unaligned(p) ((u32)(p) % 4)
typedef u32 __attribute__((may_alias)) aligned_u32;
INLINE u32 load_u32(const void *p) { return *(const aligned_u32 *)p; }
INLINE void store_u32(void *p, u32 x) { *(aligned_u32 *)p = x; }
INLINE u32 load_big_endian(const u8 *p) { return (u32)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3]; }
#else
#define ALIGNED
#define unaligned(p) 0
#endif

// A block whose words can be read: itself, or a copy of it.
#define aligned_block(block, copied) (unaligned(block) ? realign(copied, block, sizeof(copied)) : (block))
__attribute__((unused)) static NOINLINE const u8 *realign(u8 *to, const u8 *from, u32 length) {
  return __builtin_memcpy(to, from, opaque(length));
}

// ---- words in memory (word), and to compute with (scalar) ----

#if WORD == 64
typedef u64 word;
#define load_word load64
#define rotate_word __builtin_rotateright64
#define store_word store64
// clang's own takes eight shifts, which makes BLAKE-512 20 % slower.
INLINE word swap_word(word x) {
  x = (x >> 8 & 0x00ff00ff00ff00ff) | (x & 0x00ff00ff00ff00ff) << 8;
  x = (x >> 16 & 0x0000ffff0000ffff) | (x & 0x0000ffff0000ffff) << 16;
  return __builtin_rotateright64(x, 32);
}
#elif WORD == 32
typedef u32 word;
#define load_word load32
#define rotate_word __builtin_rotateright32
#define store_word store32
INLINE word swap_word(word x) { return __builtin_bswap32(x); }
#endif

#if WORD == 64 && defined(JAVASCRIPT)

// JavaScript computes with 32 bits, so a word is a pair of them.
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

#elif defined(WORD)

typedef word scalar;
#define add(a, b) ((a) + (b))
#define exor(a, b) ((a) ^ (b))
#define scalar_of(x) (x)
#ifdef JAVASCRIPT
#define load_scalar load_u32
#define store_scalar store_u32
#define message_word load_u32
#define store_swapped(to, from) store_u32(to, load_big_endian(from))
// Binaryen calls a function for a rotation, of which clang does not know here.
INLINE scalar rotr(scalar x, int count) { return x >> count | opaque(x) << (WORD - count); }
#else
INLINE scalar load_scalar(const word *p) { return *p; }
INLINE void store_scalar(word *p, scalar x) { *p = x; }
#define message_word load_word
#define store_swapped(to, from) store_word(to, swap_word(load_word(from)))
INLINE scalar rotr(scalar x, int count) { return rotate_word(x, count); }
#endif

#endif

#ifdef WORD
INLINE void copy_words(word *to, const word *from, u32 count) {
  for (u32 i = 0; i < count; i++) store_scalar(&to[i], load_scalar(&from[i]));
}
#endif

// ---- vectors: a word of each of LANES messages (vector), or four words of one message's state (row) ----

#ifndef SIMD
#define LANES 1
#else

// No other file than this one uses an intrinsic.
#include <wasm_simd128.h>

#define LANES (128 / WORD)

// Rotations by whole bytes: in V8 a swizzle with its mask in a local is one instruction, an i8x16.shuffle is five.
#define swizzle(x, mask) wasm_i8x16_swizzle((v128_t)(x), mask)

// A vector with its words in a different order.
#define reorder(x, i, j, k, l) __builtin_shufflevector(x, x, i, j, k, l)

#endif

#if defined(SIMD) && WORD == 32

typedef u32 u32x4 __attribute__((vector_size(16)));
typedef i32 i32x4 __attribute__((vector_size(16)));
typedef u32 __attribute__((vector_size(16), aligned(1), may_alias)) unaligned_u32x4;
typedef u32x4 row, vector;

INLINE u32x4 load_u32x4(const void *p) { return *(const unaligned_u32x4 *)p; }
INLINE void store_u32x4(void *p, u32x4 x) { *(unaligned_u32x4 *)p = x; }
INLINE u32x4 splat(u32 x) { return (u32x4){x, x, x, x}; }
INLINE i32x4 min_i32x4(i32x4 a, i32x4 b) { return (i32x4)wasm_i32x4_min((v128_t)a, (v128_t)b); }
#define shuffle_u32x4(a, b, i, j, k, l) ((u32x4)wasm_i32x4_shuffle((v128_t)(a), (v128_t)(b), i, j, k, l))

// The masks of the rotations by whole bytes. V8 14 would load the constants each time that a loop uses them: 5 % of a
// BLAKE3 chunk.
typedef struct {
  v128_t by_16, by_8;
} masks;
#define MASKS                                                                 \
  ((masks){                                                                   \
      wasm_i8x16_const(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13), \
      wasm_i8x16_const(1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12)})
INLINE masks masks_in_locals(void) { return (masks){opaque(MASKS.by_16), opaque(MASKS.by_8)}; }

INLINE u32x4 rotr_by(u32x4 x, int count, masks m) {
  if (count == 16) return (u32x4)swizzle(x, m.by_16);
  if (count == 8) return (u32x4)swizzle(x, m.by_8);
  return (x >> count) | (x << (32 - count));
}
// A sum of shifts, not an OR: V8 makes one instruction of that on ARM64.
INLINE u32x4 rotr_by_sum(u32x4 x, int count, masks m) {
  if (count % 8 == 0) return rotr_by(x, count, m);
  u32x4 high = opaque(x << (32 - count));
  return high + (x >> count);
}

#define rotr_row rotr_by
#define load_row load_u32x4
#define store_row store_u32x4
#define opaque_row opaque
INLINE row swap_row(row x) { return (row)swizzle(x, wasm_i8x16_const(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)); }
// The words at four byte offsets.
INLINE row gather_row(const u8 *words, const u8 at[4]) {
  v128_t x = wasm_v128_load32_zero(words + at[0]);
  x = wasm_v128_load32_lane(words + at[1], x, 1);
  x = wasm_v128_load32_lane(words + at[2], x, 2);
  return (row)wasm_v128_load32_lane(words + at[3], x, 3);
}

// Transposes four rows of four words into four columns, by zips of 32-bit words alone: V8 before 13 makes a chain of
// moves from lane to lane of a zip of 64-bit words on ARM64.
INLINE void transpose_u32x4(u32x4 v[4]) {
  u32x4 ac01 = shuffle_u32x4(v[0], v[2], 0, 4, 1, 5), ac23 = shuffle_u32x4(v[0], v[2], 2, 6, 3, 7);
  u32x4 bd01 = shuffle_u32x4(v[1], v[3], 0, 4, 1, 5), bd23 = shuffle_u32x4(v[1], v[3], 2, 6, 3, 7);
  v[0] = shuffle_u32x4(ac01, bd01, 0, 4, 1, 5);
  v[1] = shuffle_u32x4(ac01, bd01, 2, 6, 3, 7);
  v[2] = shuffle_u32x4(ac23, bd23, 0, 4, 1, 5);
  v[3] = shuffle_u32x4(ac23, bd23, 2, 6, 3, 7);
}

// From the rows of words at a byte offset to vectors of the words in the same place of each row, and back.
INLINE void load_columns(vector columns[4], const u8 *const rows[4], u32 at) {
  for (int i = 0; i < 4; i++) columns[i] = load_u32x4(rows[i] + at);
  transpose_u32x4(columns);
}
INLINE void store_columns(vector columns[4], u8 *const rows[4], u32 at) {
  transpose_u32x4(columns);
  for (int i = 0; i < 4; i++) store_u32x4(rows[i] + at, columns[i]);
}

#elif defined(SIMD) && WORD == 64

typedef u64 u64x2 __attribute__((vector_size(16)));
typedef u64x2 vector;
// A row of four 64-bit words is two vectors.
typedef u64 row __attribute__((vector_size(32)));
typedef u64 __attribute__((vector_size(32), aligned(1), may_alias)) unaligned_row;

INLINE u64x2 low(row x) { return __builtin_shufflevector(x, x, 0, 1); }
INLINE u64x2 high(row x) { return __builtin_shufflevector(x, x, 2, 3); }
INLINE row concat(u64x2 low, u64x2 high) { return __builtin_shufflevector(low, high, 0, 1, 2, 3); }
INLINE vector splat(u64 x) { return (vector){x, x}; }

typedef struct {
  v128_t by_16, by_24;
} masks;
#define MASKS                                                                 \
  ((masks){                                                                   \
      wasm_i8x16_const(2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9), \
      wasm_i8x16_const(3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10)})
INLINE masks masks_in_locals(void) { return (masks){opaque(MASKS.by_16), MASKS.by_24}; }

// By 63, a sum of equal words: clang would make a shift of it, of which many processors start half as many per cycle.
INLINE u64x2 rotr_by(u64x2 x, int count, masks m) {
  if (count == 32) return (u64x2)wasm_i32x4_shuffle((v128_t)x, (v128_t)x, 1, 0, 3, 2);
  if (count == 24) return (u64x2)swizzle(x, m.by_24);
  if (count == 16) return (u64x2)swizzle(x, m.by_16);
  return (x >> 63) | (x + opaque(x));
}

INLINE row rotr_row(row x, int count, masks m) {
  if (count % 8) return (x >> count) | (x << (64 - count));
  return concat(rotr_by(low(x), count, m), rotr_by(high(x), count, m));
}
INLINE row load_row(const void *p) { return *(const unaligned_row *)p; }
INLINE void store_row(void *p, row x) { *(unaligned_row *)p = x; }
INLINE row opaque_row(row x) { return concat(opaque(low(x)), opaque(high(x))); }
INLINE u64x2 swap_u64x2(u64x2 x) {
  return (u64x2)swizzle(x, wasm_i8x16_const(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
}
INLINE row swap_row(row x) { return concat(swap_u64x2(low(x)), swap_u64x2(high(x))); }
INLINE u64x2 gather_u64x2(const u8 *a, const u8 *b) { return (u64x2)wasm_v128_load64_lane(b, wasm_v128_load64_zero(a), 1); }
INLINE row gather_row(const u8 *words, const u8 at[4]) {
  return concat(gather_u64x2(words + at[0], words + at[1]), gather_u64x2(words + at[2], words + at[3]));
}

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

#endif
