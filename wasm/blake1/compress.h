// The parts of BLAKE's compression function (BLAKE paper sections 2.1.2 and 2.2.2) that both shapes share.
// blake256-word.h and blake512-word.h define
//   ROUNDS        14 or 16
//   R1 .. R4      the rotations of G, but for those of words/u64.h
//   C_0 .. C_15   the constants: digits of pi
#pragma once
#include "../memory.h"

#define BLOCK (16 * sizeof(word))

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
