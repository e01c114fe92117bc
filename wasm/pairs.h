// Words for the build that Binaryen turns into JavaScript, which computes with 32 bits: a 64-bit word is a pair of them.
// JavaScript reads words at aligned addresses only, and has no rotation.
#pragma once

typedef struct {
  u32 low, high;
} pair;

// The word that a kernel computes with, for the word of its algorithm.
#define split_word(word) __typeof__(_Generic((word)0, u32 : (u32)0, u64 : (pair){0, 0}))

INLINE u32 u32_add(u32 a, u32 b) { return a + b; }
INLINE u32 u32_xor(u32 a, u32 b) { return a ^ b; }
INLINE pair pair_add(pair a, pair b) {
  u32 low = a.low + b.low;
  return (pair){low, a.high + b.high + (low < b.low)};
}
INLINE pair pair_xor(pair a, pair b) { return (pair){a.low ^ b.low, a.high ^ b.high}; }

#define add_words(a, b) _Generic((a), u32 : u32_add, pair : pair_add)(a, b)
#define xor_words(a, b) _Generic((a), u32 : u32_xor, pair : pair_xor)(a, b)

// Without the asm statement clang would see a rotation, for which Binaryen calls a function.
INLINE u32 u32_rotr(u32 x, u32 count) {
  u32 same = x;
  __asm__("" : "+r"(same));
  return x >> count | same << (32 - count);
}
INLINE pair pair_rotr(pair x, u32 count) {
  return (pair){x.low >> count | x.high << (32 - count), x.high >> count | x.low << (32 - count)};
}
INLINE pair pair_swap(pair x) { return (pair){x.high, x.low}; }

#define rotr63(x) pair_rotr(pair_swap(x), 31)
#define rotr32(x) pair_swap(x)
#define rotr25(x) pair_rotr(x, 25)
#define rotr24(x) pair_rotr(x, 24)
#define rotr16(x) _Generic((x), u32 : u32_rotr, pair : pair_rotr)(x, 16)
#define rotr12(x) u32_rotr(x, 12)
#define rotr11(x) pair_rotr(x, 11)
#define rotr8(x) u32_rotr(x, 8)
#define rotr7(x) u32_rotr(x, 7)

typedef u32 __attribute__((may_alias)) aligned_u32;
INLINE u32 load_u32(const void *p) { return *(const aligned_u32 *)p; }
INLINE pair load_pair(const void *p) { return (pair){load_u32(p), load_u32((const u8 *)p + 4)}; }
INLINE void store_u32(void *p, u32 x) { *(aligned_u32 *)p = x; }
INLINE void store_pair(void *p, pair x) { store_u32(p, x.low), store_u32((u8 *)p + 4, x.high); }
INLINE u32 same_u32(u32 x) { return x; }
INLINE pair split_u64(u64 x) { return (pair){(u32)x, (u32)(x >> 32)}; }

#define split(x) _Generic((x), u32 : same_u32, u64 : split_u64)(x)
#define load_words(p, word) _Generic((word)0, u32 : load_u32, u64 : load_pair)(p)
#define store_words(p, x) _Generic((x), u32 : store_u32, pair : store_pair)(p, x)

// A block whose words can be read: itself, or a copy of it.
#define aligned_block(block, copied) ((u32)(block) % 4 ? realign(copied, block, sizeof(copied)) : (block))
static __attribute__((noinline, unused)) const u8 *realign(u8 *to, const u8 *from, u32 length) {
  __asm__("" : "+r"(length));
  return __builtin_memcpy(to, from, length);
}
