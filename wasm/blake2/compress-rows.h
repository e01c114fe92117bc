// The BLAKE2 compression function (RFC 7693 section 3.2) of one message, over rows: for all engines but V8 before 12.8. A
// half-round takes the 16 cycles of G's latency on Zen 4, whatever the message costs, so its words are gathered from memory
// and the rounds stay in a loop. 64 KiB of BLAKE2s in us, on V8 11, V8 14 and JavaScriptCore:
//   this                                  97.9   99.9   130
//   two rounds at a time                  97.0  100.0   130    0.2 kB more of a bundle, gzipped, 0.3 kB for BLAKE2b
//   all rounds written out                96.6   99.8   309
//   masks made where they are used       101.8  107.1   128
//   words by two loads and a shuffle      98.9   99.5
//   words by way of scalars, two by two  104.5  108.2
//   scalars                               93.6  117.3   206
// and of BLAKE2b: 65.1, 69.8 and 83, scalars 55.7, 70.8 and 131; SpiderMonkey has 904 MB/s of it, by scalars 716.
// blake2b-rows.c and blake2s-rows.c add to what blake2-rounds.h asks for:
//   ROW, LOAD_ROW, STORE_ROW, GATHER_ROW   four words in vectors
//   MASK_1 .. MASK_3                       the masks of rotations that are swizzles by mask_1 .. mask_3
#pragma once
#include "compress.h"
#include "../rounds/row-round.h"

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
  ROW h0 = LOAD_ROW(h), h1 = LOAD_ROW(h + 4);
  for (; count; count--, blocks += stride) {
    position p = count_block((position){t0, t1, f0, f1});
    t0 = p.t0, t1 = p.t1;
    ROW a = h0, b = h1, c = LOAD_ROW(IV), d = LOAD_ROW(IV + 4) ^ (ROW){t0, t1, f0, f1};
    _Pragma("clang loop unroll(disable)")
    for (u32 round = 0; round < ROUNDS; round++) {
      const u8 *offsets = SCHEDULE[round < 10 ? round : round - 10];
      ROUND_OF_ROWS(WORDS(0), WORDS(1), WORDS(2), WORDS(3))
    }
    h0 ^= a ^ c;
    h1 = b ^ pin(h1 ^ d);
  }
  STORE_ROW(h, h0), STORE_ROW(h + 4, h1);
}
