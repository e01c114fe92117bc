// The BLAKE3 compression function for JavaScript: all words are locals from the first block of a chain to the last, and the
// rounds are written out, since engines without a compiler take longest over memory.
#pragma once
#include "../rounds/g.h"
#include "../rounds/scalar-round.h"
#include "rounds.h"

INLINE void all_rounds(u32 v[16], const u8 *block) {
  u32 m[16];
  for (int i = 0; i < 16; i++) m[i] = load_u32(block + 4 * i);
  UNROLLED
  for (int round = 0; round < 7; round++) {
    SCALAR_ROUND(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], m[12], m[13], m[14], m[15])
    permute(m);
  }
}

NOINLINE void compress_chain(
    compress_mode mode, const cv_word from[8], cv_word cv[8], u8 *input, u32 blocks, u32 low, u32 high, u32 length, u32 flags,
    u32 first, u32 last) {
  u8 copied[BLOCK] ALIGNED;
  u32 h[8], v[16];
  require_area(input, blocks * BLOCK), require_area(cv, mode == WIDENING ? 64 : 32);
  for (int i = 0; i < 8; i++) h[i] = from[i];
  for (u32 i = 0; i < blocks; i++) {
    for (int i = 0; i < 8; i++) v[i] = h[i];
    for (int i = 0; i < 4; i++) v[8 + i] = IV[i];
    v[12] = low, v[13] = high, v[14] = i + 1 < blocks ? BLOCK : length;
    v[15] = block_flags(flags, first, last, i, blocks);
    all_rounds(v, aligned_block(input + i * BLOCK, copied));
    if (mode == WIDENING) {
      for (int i = 0; i < 8; i++) cv[8 + i] = v[8 + i] ^ h[i];
    }
    for (int i = 0; i < 8; i++) h[i] = v[i] ^ v[8 + i];
  }
  for (int i = 0; i < 8; i++) cv[i] = h[i];
  if ((u32)input % 4) wipe(copied, BLOCK);
  if (mode == WIPING) wipe(input, blocks * BLOCK);
}
