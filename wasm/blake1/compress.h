// The compression function of BLAKE (BLAKE paper sections 2.1.2 and 2.2.2), as the modes call it, and its constants: WORD
// is 32 for BLAKE-224 and BLAKE-256, 64 for BLAKE-384 and BLAKE-512.
#pragma once
#include "../memory.h"

#define BLOCK (16 * sizeof(word))

// PI has the first bits of the fractional part of pi.
#if WORD == 64
enum { ROUNDS = 16, R1 = 32, R2 = 25, R3 = 16, R4 = 11 };
static const word PI[16] = {
    0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89, 0x452821e638d01377, 0xbe5466cf34e90c6c,
    0xc0ac29b7c97c50dd, 0x3f84d5b5b5470917, 0x9216d5d98979fb1b, 0xd1310ba698dfb5ac, 0x2ffd72dbd01adfb7, 0xb8e1afed6a267e96,
    0xba7c9045f12c7f99, 0x24a19947b3916cf7, 0x0801f2e2858efc16, 0x636920d871574e69,
};
#else
enum { ROUNDS = 14, R1 = 16, R2 = 12, R3 = 8, R4 = 7 };
static const word PI[16] = {
    0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89,
    0x452821e6, 0x38d01377, 0xbe5466cf, 0x34e90c6c, 0xc0ac29b7, 0xc97c50dd, 0x3f84d5b5, 0xb5470917,
};
#endif

// The chaining value, and the salt that goes into every block.
typedef struct {
  word h[8];
  word salt[4];
} salted_chain;

// Message bits up to the end of a block; 0 for a block that holds none of them.
typedef struct {
  word low, high;
} counter;

INLINE counter next(counter t) {
  word low = t.low + 8 * BLOCK;
  return (counter){low, t.high + (low < 8 * BLOCK)};
}

// Reads or writes big-endian words, four to a row.
void swap_rows(void *to, const void *from, u32 count);

// Compresses `count` adjacent blocks into a chain. low and high are the counter of the first; they are passed apart, as
// a struct would go through memory.
void compress_from(salted_chain *s, const u8 *blocks, u32 count, word low, word high);

INLINE void compress_blocks(salted_chain *s, const u8 *blocks, u32 count, counter first) {
  require_area(blocks, count * BLOCK);
  compress_from(s, blocks, count, first.low, first.high);
}
