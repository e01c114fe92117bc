// The parts of the BLAKE2 compression function (RFC 7693 section 3.2) that all shapes share. blake2b-word.h and
// blake2s-word.h define
//   ROUNDS             12 or 10
//   IV_WORDS, T0, T1   the IV; the words of a byte counter
#pragma once
#include "../memory.h"
#include "../rounds/sigma.h"

#define BLOCK (16 * sizeof(word))

static const word IV[8] = {IV_WORDS};

// The IV in memory: as constants in the code, it would differ between the two builds.
INLINE const word *iv_in_memory(void) {
  const word *iv = IV;
  if (!CHAIN_IN_LOCALS) __asm__("" : "+r"(iv));
  return iv;
}

// What is XORed into v[12..15] for a block: the two words of the byte counter, which does not count the block yet, and
// the two finalization flags.
typedef struct {
  word t0, t1, f0, f1;
} position;

INLINE position count_block(position p) {
  p.t0 += BLOCK;
  p.t1 += p.t0 < BLOCK;
  return p;
}

// Compresses `count` blocks of one message, `stride` bytes from one to the next, into its chaining value. A position is
// passed word by word: as a struct it would go through memory.
void compress_scalars(word h[8], const u8 *blocks, u32 stride, u32 count, word t0, word t1, word f0, word f1);

INLINE void compress_strided(word h[8], const u8 *blocks, u32 stride, u32 count, position p) {
  if (count) require_area(blocks, (count - 1) * stride + BLOCK);
  compress_scalars(h, blocks, stride, count, p.t0, p.t1, p.f0, p.f1);
}

// The same for adjacent blocks.
INLINE void compress_blocks(word h[8], const u8 *blocks, u32 count, position p) {
  compress_strided(h, blocks, BLOCK, count, p);
}
