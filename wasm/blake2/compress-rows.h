// The BLAKE2 compression function of one message over rows, for all engines but V8 before 12.8. The latency of G bounds a
// half-round, whatever its words cost: so they are gathered from memory, and the rounds are a loop (bench/NOTES.md).
// blake2b-rows.c and blake2s-rows.c define, besides what compress.h asks for,
//   ROW, LOAD_ROW, STORE_ROW, GATHER_ROW   four words in vectors
//   MASK_1 .. MASK_3                       the masks of rotations that are swizzles by mask_1 .. mask_3
#pragma once
#include "compress.h"
#include "../rounds/row-round.h"

// The schedule as data.
#define ROUND(...) ROW_OFFSETS(__VA_ARGS__),
static const u8 SCHEDULE[10][16] = {TEN_ROUNDS};

#define WORDS(k) GATHER_ROW(blocks, offsets + 4 * k)

void compress_rows(WORD h[8], const u8 *blocks, u32 stride, u32 count, WORD t0, WORD t1, WORD f0, WORD f1) {
#ifdef MASK_1
  HOIST(v128_t, mask_1, MASK_1);
#endif
#ifdef MASK_2
  HOIST(v128_t, mask_2, MASK_2);
#endif
  HOIST(v128_t, mask_3, MASK_3);
  const WORD *iv = iv_in_memory();
  ROW h0 = LOAD_ROW(h), h1 = LOAD_ROW(h + 4);
  for (; count; count--, blocks += stride) {
    position p = count_block((position){t0, t1, f0, f1});
    t0 = p.t0, t1 = p.t1;
    ROW a = h0, b = h1, c = LOAD_ROW(iv), d = LOAD_ROW(iv + 4) ^ (ROW) { t0, t1, f0, f1 };
#pragma clang loop unroll(disable)
    for (u32 round = 0; round < ROUNDS; round++) {
      const u8 *offsets = SCHEDULE[round < 10 ? round : round - 10];
      ROW_ROUND(WORDS(0), WORDS(1), WORDS(2), WORDS(3))
    }
    h0 ^= a ^ c;
    h1 = b ^ pin(h1 ^ d);
  }
  STORE_ROW(h, h0), STORE_ROW(h + 4, h1);
}
