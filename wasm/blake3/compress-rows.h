// The BLAKE3 compression function over rows, for blocks of one message: faster than scalars where a vector operation
// takes one cycle (bench/NOTES.md).
#pragma once
#include "compress.h"
#include "../rounds.h"

// The words of a round, in the order in which rows need them: for the columns those of even places from 0 to 6 and of
// odd ones from 1 to 7; for the diagonals those from 8 to 15, of which the last come first.
INLINE void load_words(u32x4 m[4], const u8 *block) {
  u32x4 w[4];
  for (int i = 0; i < 4; i++) w[i] = load_u32x4(block + 16 * i);
  m[0] = shuffle_u32x4(w[0], w[1], 0, 2, 4, 6);
  m[1] = shuffle_u32x4(w[0], w[1], 1, 3, 5, 7);
  u32x4 even = shuffle_u32x4(w[2], w[3], 0, 2, 4, 6), odd = shuffle_u32x4(w[2], w[3], 1, 3, 5, 7);
  m[2] = reorder(even, 3, 0, 1, 2), m[3] = reorder(odd, 3, 0, 1, 2);
}

// The message permutation, of words in that order: comments have the places that words come from. Each shuffle is one
// or two instructions.
INLINE void permute_words(u32x4 m[4]) {
  u32x4 even = m[0], odd = m[1], later_even = m[2], later_odd = m[3];
  u32x4 a = shuffle_u32x4(even, odd, 1, 2, 5, 7);                      // 2 4 3 7
  u32x4 b = shuffle_u32x4(even, later_even, 3, 0, 6, 6);               // 6 0 10 10
  u32x4 c = shuffle_u32x4(later_even, later_odd, 3, 3, 5, 5);          // 12 12 9 9
  u32x4 d = shuffle_u32x4(later_odd, odd, 0, 4, 1, 5);                 // 15 1 9 3
  u32x4 e = shuffle_u32x4(later_even, later_odd, 1, 0, 6, 6);          // 8 14 11 11
  m[0] = reorder(a, 0, 2, 3, 1);                                       // 2 3 7 4
  m[1] = shuffle_u32x4(reorder(b, 0, 2, 1, 3), later_odd, 0, 1, 2, 7); // 6 10 0 13
  m[2] = shuffle_u32x4(d, c, 0, 1, 4, 6);                              // 15 1 12 9
  m[3] = shuffle_u32x4(reorder(e, 0, 2, 3, 1), odd, 0, 1, 6, 3);       // 8 11 5 14
}

// As compress_blocks() does. The rounds are a loop: their latency bounds them, and nothing spills.
NOINLINE void compress_rows(
    const cv_word from[8], cv_word cv[8], const u8 *input, u32 blocks, u64 counter, u32 length, u32 flags, u32 flags_start,
    u32 flags_end, bool wide) {
  require_area(input, blocks * BLOCK), require_area(cv, wide ? 64 : 32);
  masks masks = masks_in_locals();
  u32x4 iv = load_u32x4(IV), h[2] = {load_u32x4(from), load_u32x4(from + 4)};
  for (; blocks; blocks--, input += BLOCK, flags_start = 0) {
    u32 is_last = blocks == 1, size = is_last ? length : BLOCK, own = flags | flags_start | (is_last ? flags_end : 0);
    u32x4 m[4], v[4] = {h[0], h[1], iv, {(u32)counter, (u32)(counter >> 32), size, own}};
    load_words(m, input);
    ROLLED
    for (int round = 0;; round++) {
      round_of_rows(v, m[0], m[1], m[2], m[3], masks);
      if (round == 6) break;
      permute_words(m);
    }
    if (wide) store_u32x4(cv + 8, v[2] ^ h[0]), store_u32x4(cv + 12, v[3] ^ h[1]);
    h[0] = v[0] ^ v[2], h[1] = v[1] ^ v[3];
  }
  store_u32x4(cv, h[0]), store_u32x4(cv + 4, h[1]);
}
