// Types, and which build this is. Two names say so, and other files choose a shape by them alone: SIMD, if the file is
// compiled with vectors, and JAVASCRIPT, for engines without WebAssembly. A third, LOOPS, is asked here alone.
// words/u32.h and words/u64.h have the words to compute with.
#pragma once
#include <stdint.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef unsigned __int128 u128;

#ifdef __wasm_simd128__
#define SIMD 1
#endif

#define INLINE static inline __attribute__((always_inline))
#define STATIC_NOINLINE static __attribute__((noinline))
// For what runs once per message or per state: small rather than fast.
#define SMALL static __attribute__((noinline, minsize))
#define UNROLLED _Pragma("clang loop unroll(full)")

// LOOPS is a build for Bun: its JavaScriptCore makes long functions slow, so the rounds of lanes stay loops, which more
// than doubles their speed there. V8 is 10 to 20 % slower with it, and WebKitGTK's older JavaScriptCore gains nothing.
//
// Loops index a message's words, which are then on the C stack and have to be wiped. Otherwise they are locals, which
// leave nothing. A function of its own loads them: that makes the loop up to 18 % faster in Bun.
#ifdef LOOPS
#define ROUNDS_IN_LOOP
#define ROUNDS_AT_A_TIME 2
#define ROUND_BY_ROUND _Pragma("clang loop unroll(disable)")
#define KEEP_ORDER(word)
#define APART_FROM_LOOP STATIC_NOINLINE
#define wipe_words(words) wipe(words, sizeof words)
#else
#define ROUNDS_AT_A_TIME 1
#define ROUND_BY_ROUND UNROLLED
// Marked values are computed in the order in which they are marked.
#define KEEP_ORDER(word) __asm__ volatile("" : "+r"(word))
#define APART_FROM_LOOP INLINE
#define wipe_words(words)
#endif

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
__attribute__((unused)) STATIC_NOINLINE const u8 *realign(u8 *to, const u8 *from, u32 length) {
  __asm__("" : "+r"(length));
  return __builtin_memcpy(to, from, length);
}

// No other file than this and those of words/ uses a SIMD intrinsic.
#ifdef SIMD
#include <wasm_simd128.h>

// Rotations by whole bytes: in V8 a swizzle with its mask in a local is one instruction, an i8x16.shuffle is five.
#define swizzle(x, mask) wasm_i8x16_swizzle((v128_t)(x), mask)

// A local that holds a constant. clang would repeat the constant where a loop uses it, and V8 14 would load it each
// time (5 % of a BLAKE3 chunk).
#define HOIST(constant) __asm__("" : "+r"(constant))

// A vector with its words in a different order.
#define reorder(x, i, j, k, l) __builtin_shufflevector(x, x, i, j, k, l)
#endif
