// Words and vectors of words. No other file uses a SIMD intrinsic. Two names say which build this is, and other files choose a
// shape by them alone: SIMD, if the file is compiled with vectors, and JAVASCRIPT, for engines without WebAssembly.
//
// `u32` and `u64` are the scalar words. With SIMD a `u32x4` or `u64x2` holds one word of each of four (or two) independent
// messages, and a `u32x4` or `u64x4` one row of a single message's state. +, ^ and the rotations below take any of them.
#pragma once
#include <stdint.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef unsigned __int128 u128;

#define INLINE static inline __attribute__((always_inline))
#define STATIC_NOINLINE static __attribute__((noinline))
// For what runs once per message or per state: small rather than fast.
#define SMALL static __attribute__((noinline, minsize))

INLINE u32 u32_rotr16(u32 x) { return __builtin_rotateright32(x, 16); }
INLINE u32 u32_rotr12(u32 x) { return __builtin_rotateright32(x, 12); }
INLINE u32 u32_rotr8(u32 x) { return __builtin_rotateright32(x, 8); }
INLINE u32 u32_rotr7(u32 x) { return __builtin_rotateright32(x, 7); }

INLINE u64 u64_rotr32(u64 x) { return __builtin_rotateright64(x, 32); }
INLINE u64 u64_rotr24(u64 x) { return __builtin_rotateright64(x, 24); }
INLINE u64 u64_rotr25(u64 x) { return __builtin_rotateright64(x, 25); }
INLINE u64 u64_rotr16(u64 x) { return __builtin_rotateright64(x, 16); }
INLINE u64 u64_rotr11(u64 x) { return __builtin_rotateright64(x, 11); }
INLINE u64 u64_rotr63(u64 x) { return __builtin_rotateright64(x, 63); }

// WebAssembly is little-endian and allows any alignment, so a load decodes the little-endian words of BLAKE2 and BLAKE3.
typedef u32 __attribute__((aligned(1), may_alias)) unaligned_u32;
typedef u64 __attribute__((aligned(1), may_alias)) unaligned_u64;
INLINE u32 load32(const void *p) { return *(const unaligned_u32 *)p; }
INLINE u64 load64(const void *p) { return *(const unaligned_u64 *)p; }
INLINE void store32(void *p, u32 x) { *(unaligned_u32 *)p = x; }
INLINE void store64(void *p, u64 x) { *(unaligned_u64 *)p = x; }

// The other byte order. clang's own for 64 bits takes eight shifts, which makes BLAKE-512 20 % slower.
INLINE u32 u32_swap(u32 x) { return __builtin_bswap32(x); }
INLINE u64 u64_swap(u64 x) {
  x = (x >> 8 & 0x00ff00ff00ff00ff) | (x & 0x00ff00ff00ff00ff) << 8;
  x = (x >> 16 & 0x0000ffff0000ffff) | (x & 0x0000ffff0000ffff) << 16;
  return u64_rotr32(x);
}

// A sum in the order it is written: the compiler cannot add a later operand first. pin() below does this for rows, and
// nothing for the scalars of the baseline build.
#define pin_one(sum)            \
  ({                            \
    __auto_type pinned = sum;   \
    __asm__("" : "+r"(pinned)); \
    pinned;                     \
  })

// Bytes that are read as words; only JavaScript cares where they are.
#ifdef JAVASCRIPT
#define ALIGNED __attribute__((aligned(8)))
#else
#define ALIGNED
#endif

#define UNROLLED _Pragma("clang loop unroll(full)")

// LOOPS is a build for Bun: its JavaScriptCore makes long functions slow, so the rounds of lanes stay loops, which more than
// doubles their speed there. V8 is 10 to 20 % slower with it, and WebKitGTK's older JavaScriptCore gains nothing.
#ifdef LOOPS
#define ROUND_BY_ROUND _Pragma("clang loop unroll(disable)")
#define KEEP_ORDER(word)
#else
#define ROUND_BY_ROUND UNROLLED
// Marked values are computed in the order in which they are marked.
#define KEEP_ORDER(word) __asm__ volatile("" : "+r"(word))
#endif

#ifdef __wasm_simd128__
#define SIMD 1
#endif

#ifdef SIMD

#include <wasm_simd128.h>

#define LANES32 4
#define LANES64 2

typedef u32 u32x4 __attribute__((vector_size(16)));
typedef i32 i32x4 __attribute__((vector_size(16)));
typedef u64 u64x2 __attribute__((vector_size(16)));
typedef u64 __attribute__((vector_size(16), aligned(1), may_alias)) unaligned_u64x2;
typedef u32 __attribute__((vector_size(16), aligned(1), may_alias)) unaligned_u32x4;

INLINE u32x4 load_u32x4(const void *p) { return *(const unaligned_u32x4 *)p; }
INLINE void store_u32x4(void *p, u32x4 x) { *(unaligned_u32x4 *)p = x; }
INLINE u32x4 splat_u32x4(u32 x) { return (u32x4){x, x, x, x}; }
INLINE i32x4 load_i32x4(const void *p) { return (i32x4)load_u32x4(p); }
INLINE i32x4 splat_i32x4(i32 x) { return (i32x4){x, x, x, x}; }
INLINE i32x4 min_i32x4(i32x4 a, i32x4 b) { return (i32x4)wasm_i32x4_min((v128_t)a, (v128_t)b); }

// Rotations by whole bytes: in V8 a swizzle with its mask in a local is one instruction, an i8x16.shuffle is five.
#define U32X4_ROTR16 wasm_i8x16_const(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13)
#define U32X4_ROTR8 wasm_i8x16_const(1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12)
#define U64X2_ROTR24 wasm_i8x16_const(3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10)
#define U64X2_ROTR16 wasm_i8x16_const(2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9)
#define swizzle(x, mask) wasm_i8x16_swizzle((v128_t)(x), mask)

// A local that holds a constant. clang would repeat the constant where a loop uses it, and V8 14 would load it each time
// (5 % of a BLAKE3 chunk).
#define HOIST(type, name, constant) \
  type name = constant;             \
  __asm__("" : "+r"(name))

INLINE u32x4 u32x4_rotr16(u32x4 x) { return (u32x4)swizzle(x, U32X4_ROTR16); }
INLINE u32x4 u32x4_rotr12(u32x4 x) { return (x >> 12) | (x << 20); }
INLINE u32x4 u32x4_rotr8(u32x4 x) { return (u32x4)swizzle(x, U32X4_ROTR8); }
INLINE u32x4 u32x4_rotr7(u32x4 x) { return (x >> 7) | (x << 25); }

// The asm statement keeps clang from making an OR of the sum.
INLINE u32x4 rotr_by_sum(u32x4 x, int count) {
  u32x4 high = x << (32 - count);
  __asm__("" : "+r"(high));
  return high + (x >> count);
}

INLINE u32x4 u32x4_swap(u32x4 x) {
  return (u32x4)swizzle(x, wasm_i8x16_const(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
}

// The words at four byte offsets.
INLINE u32x4 gather_u32x4(const u8 *words, const u8 at[4]) {
  v128_t x = wasm_v128_load32_zero(words + at[0]);
  x = wasm_v128_load32_lane(words + at[1], x, 1);
  x = wasm_v128_load32_lane(words + at[2], x, 2);
  return (u32x4)wasm_v128_load32_lane(words + at[3], x, 3);
}

#define shuffle_u32x4(a, b, i, j, k, l) ((u32x4)wasm_i32x4_shuffle((v128_t)(a), (v128_t)(b), i, j, k, l))

// Transposes four rows of four words into four columns, by zips of 32-bit words alone: V8 before 13 makes a chain of moves from
// lane to lane of a zip of 64-bit words on ARM64.
INLINE void transpose_u32x4(u32x4 *a, u32x4 *b, u32x4 *c, u32x4 *d) {
  u32x4 ac01 = shuffle_u32x4(*a, *c, 0, 4, 1, 5), ac23 = shuffle_u32x4(*a, *c, 2, 6, 3, 7);
  u32x4 bd01 = shuffle_u32x4(*b, *d, 0, 4, 1, 5), bd23 = shuffle_u32x4(*b, *d, 2, 6, 3, 7);
  *a = shuffle_u32x4(ac01, bd01, 0, 4, 1, 5);
  *b = shuffle_u32x4(ac01, bd01, 2, 6, 3, 7);
  *c = shuffle_u32x4(ac23, bd23, 0, 4, 1, 5);
  *d = shuffle_u32x4(ac23, bd23, 2, 6, 3, 7);
}

INLINE u64x2 u64x2_rotr32(u64x2 x) { return (u64x2)wasm_i32x4_shuffle((v128_t)x, (v128_t)x, 1, 0, 3, 2); }
INLINE u64x2 u64x2_rotr16(u64x2 x) { return (u64x2)swizzle(x, U64X2_ROTR16); }
INLINE u64x2 u64x2_rotr24(u64x2 x) { return (u64x2)swizzle(x, U64X2_ROTR24); }
// Without the asm statement clang would turn the sum into a shift, of which many processors start half as many per cycle.
INLINE u64x2 u64x2_rotr63(u64x2 x) {
  u64x2 same = x;
  __asm__("" : "+r"(same));
  return (x >> 63) | (x + same);
}
INLINE u64x2 u64x2_swap(u64x2 x) {
  return (u64x2)swizzle(x, wasm_i8x16_const(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
}
INLINE u64x2 gather_u64x2(const u8 *words, const u8 at[2]) {
  return (u64x2)wasm_v128_load64_lane(words + at[1], wasm_v128_load64_zero(words + at[0]), 1);
}

INLINE u64x2 load_u64x2(const void *p) { return *(const unaligned_u64x2 *)p; }
INLINE void store_u64x2(void *p, u64x2 x) { *(unaligned_u64x2 *)p = x; }
INLINE u64x2 splat_u64x2(u64 x) { return (u64x2){x, x}; }

// From the rows of words at a byte offset to vectors of the words in the same place of each row, and back.
INLINE void load_columns_u32x4(u32x4 columns[4], const u8 *const rows[4], u32 at) {
  for (int row = 0; row < 4; row++) columns[row] = load_u32x4(rows[row] + at);
  transpose_u32x4(&columns[0], &columns[1], &columns[2], &columns[3]);
}
INLINE void store_columns_u32x4(u32x4 columns[4], u8 *const rows[4], u32 at) {
  transpose_u32x4(&columns[0], &columns[1], &columns[2], &columns[3]);
  for (int row = 0; row < 4; row++) store_u32x4(rows[row] + at, columns[row]);
}
// Word by word: V8 before 13 makes moves from lane to lane of a zip of 64-bit words on ARM64.
INLINE void load_columns_u64x2(u64x2 columns[2], const u8 *const rows[2], u32 at) {
  for (int word = 0; word < 2; word++, at += 8) {
    columns[word] = (u64x2)wasm_v128_load64_lane(rows[1] + at, wasm_v128_load64_zero(rows[0] + at), 1);
  }
}
INLINE void store_columns_u64x2(u64x2 columns[2], u8 *const rows[2], u32 at) {
  for (int word = 0; word < 2; word++, at += 8) {
    wasm_v128_store64_lane(rows[0] + at, (v128_t)columns[word], 0);
    wasm_v128_store64_lane(rows[1] + at, (v128_t)columns[word], 1);
  }
}

// A row of four 64-bit words is two vectors.
typedef u64 u64x4 __attribute__((vector_size(32)));
typedef u64 __attribute__((vector_size(32), aligned(1), may_alias)) unaligned_u64x4;

INLINE u64x4 load_u64x4(const void *p) { return *(const unaligned_u64x4 *)p; }
INLINE void store_u64x4(void *p, u64x4 x) { *(unaligned_u64x4 *)p = x; }
INLINE u64x2 low_u64x2(u64x4 x) { return __builtin_shufflevector(x, x, 0, 1); }
INLINE u64x2 high_u64x2(u64x4 x) { return __builtin_shufflevector(x, x, 2, 3); }
INLINE u64x4 concat_u64x2(u64x2 low, u64x2 high) { return __builtin_shufflevector(low, high, 0, 1, 2, 3); }

INLINE u64x4 u64x4_rotr32(u64x4 x) { return concat_u64x2(u64x2_rotr32(low_u64x2(x)), u64x2_rotr32(high_u64x2(x))); }
INLINE u64x4 u64x4_rotr25(u64x4 x) { return (x >> 25) | (x << 39); }
INLINE u64x4 swizzle_u64x4(u64x4 x, v128_t mask) {
  return concat_u64x2((u64x2)swizzle(low_u64x2(x), mask), (u64x2)swizzle(high_u64x2(x), mask));
}
INLINE u64x4 u64x4_rotr63(u64x4 x) { return concat_u64x2(u64x2_rotr63(low_u64x2(x)), u64x2_rotr63(high_u64x2(x))); }
INLINE u64x4 u64x4_rotr11(u64x4 x) { return (x >> 11) | (x << 53); }
INLINE u64x4 u64x4_swap(u64x4 x) { return concat_u64x2(u64x2_swap(low_u64x2(x)), u64x2_swap(high_u64x2(x))); }
INLINE u64x4 gather_u64x4(const u8 *words, const u8 at[4]) {
  return concat_u64x2(gather_u64x2(words, at), gather_u64x2(words, at + 2));
}

// A row with its words in a different order.
#define reorder(x, i, j, k, l) __builtin_shufflevector(x, x, i, j, k, l)

INLINE void pin_u32x4(u32x4 *sum) { __asm__("" : "+r"(*sum)); }
INLINE void pin_u64x4(u64x4 *sum) {
  u64x2 low = low_u64x2(*sum), high = high_u64x2(*sum);
  __asm__("" : "+r"(low), "+r"(high));
  *sum = concat_u64x2(low, high);
}
#define pin(sum)                                                     \
  ({                                                                 \
    __auto_type pinned = sum;                                        \
    _Generic(pinned, u32x4 : pin_u32x4, u64x4 : pin_u64x4)(&pinned); \
    pinned;                                                          \
  })

#define swap(x) _Generic((x), u32 : u32_swap, u32x4 : u32x4_swap, u64 : u64_swap, u64x4 : u64x4_swap)(x)
#define rotr63(x) _Generic((x), u64 : u64_rotr63, u64x2 : u64x2_rotr63, u64x4 : u64x4_rotr63)(x)
#define rotr32(x) _Generic((x), u64 : u64_rotr32, u64x2 : u64x2_rotr32, u64x4 : u64x4_rotr32)(x)
#define rotr25(x) _Generic((x), u64 : u64_rotr25, u64x4 : u64x4_rotr25)(x)
#define rotr24(x) _Generic((x), u64 : u64_rotr24, u64x2 : u64x2_rotr24)(x)
#define rotr16(x) _Generic((x), u32 : u32_rotr16, u32x4 : u32x4_rotr16, u64 : u64_rotr16, u64x2 : u64x2_rotr16)(x)
#define rotr12(x) _Generic((x), u32 : u32_rotr12, u32x4 : u32x4_rotr12)(x)
#define rotr11(x) _Generic((x), u64 : u64_rotr11, u64x4 : u64x4_rotr11)(x)
#define rotr8(x) _Generic((x), u32 : u32_rotr8, u32x4 : u32x4_rotr8)(x)
#define rotr7(x) _Generic((x), u32 : u32_rotr7, u32x4 : u32x4_rotr7)(x)

#else

#define LANES32 1
#define LANES64 1

#define pin(sum) (sum)
#define swap(x) _Generic((x), u32 : u32_swap, u64 : u64_swap)(x)
#ifdef JAVASCRIPT
#include "pairs.h"
#else
#define rotr63(x) u64_rotr63(x)
#define rotr32(x) u64_rotr32(x)
#define rotr25(x) u64_rotr25(x)
#define rotr24(x) u64_rotr24(x)
#define rotr16(x) _Generic((x), u32 : u32_rotr16, u64 : u64_rotr16)(x)
#define rotr12(x) u32_rotr12(x)
#define rotr11(x) u64_rotr11(x)
#define rotr8(x) u32_rotr8(x)
#define rotr7(x) u32_rotr7(x)
#endif

#endif
