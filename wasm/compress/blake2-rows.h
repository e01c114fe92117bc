// The BLAKE2 compression function (RFC 7693 section 3.2) of one message, over rows: for engines that want loops (lanes.h).
// blake2b.h and blake2s.h add to what blake2-rounds.h asks for:
//   ROW, LOAD_ROW, STORE_ROW, GATHER_ROW   four words in vectors
#pragma once
#include "blake2-rounds.h"
#include "rows.h"

#define ROUND(...) ROW_OFFSETS(__VA_ARGS__),
static const u8 SCHEDULE[10][16] = {TEN_ROUNDS};

#define WORDS(k) GATHER_ROW(block, offsets + 4 * k)

void compress_words(WORD h[8], const u8 *block, WORD t0, WORD t1, WORD f0, WORD f1) {
  ROW a = LOAD_ROW(h), b = LOAD_ROW(h + 4), c = LOAD_ROW(IV), d = LOAD_ROW(IV + 4) ^ (ROW){t0, t1, f0, f1};
  ROUND_BY_ROUND
  for (int round = 0; round < ROUNDS; round++) {
    const u8 *offsets = SCHEDULE[round < 10 ? round : round - 10];
    ROUND_OF_ROWS(WORDS(0), WORDS(1), WORDS(2), WORDS(3))
  }
  STORE_ROW(h, LOAD_ROW(h) ^ a ^ c), STORE_ROW(h + 4, LOAD_ROW(h + 4) ^ b ^ d);
}
