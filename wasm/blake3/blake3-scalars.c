// BLAKE3's compression function (BLAKE3 paper section 2.2) for blocks of one message, over scalars for the reasons that BLAKE2 has
// (blake2/compress-scalars.h). rounds.h has its constants, rounds/scalar-pairs.h its G.
#include "rounds.h"
#ifdef JAVASCRIPT
#include "compress-javascript.h"
#else
#include "../rounds/scalar-pairs.h"

#ifdef LOOPS

#define WORD_AT load32
#define PLUS_WORD(a, x) a + m[x]

INLINE void all_rounds(u32 v[16], u32 m[16]) {
#pragma clang loop unroll(disable)
  for (int round = 0;; round++) {
    SCALAR_ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
    if (round == 6) break;
    permute(m);
  }
}

#else

#define WORD_AT(p) pin_one(-load32(p))
#define PLUS_WORD(a, x) a - m[x]
#define ROUND SCALAR_ROUND

INLINE void all_rounds(u32 v[16], const u32 m[16]){SEVEN_ROUNDS}

#endif

NOINLINE void compress_chain(
    compress_mode mode, const cv_word from[8], cv_word cv[8], u8 *input, u32 blocks, u32 low, u32 high, u32 length, u32 flags,
    u32 first, u32 last) {
  require_area(input, blocks * BLOCK), require_area(cv, mode == WIDENING ? 64 : 32);
  for (u32 i = 0; i < blocks; i++, input += BLOCK, from = cv) {
    u32 m[16], v[16];
    for (int j = 0; j < 16; j++) m[j] = WORD_AT(input + 4 * j);
    if (mode == WIPING) wipe(input, BLOCK);
    for (int j = 0; j < 8; j++) v[j] = from[j];
    for (int j = 0; j < 4; j++) v[8 + j] = IV[j];
    v[12] = low, v[13] = high, v[14] = i + 1 < blocks ? BLOCK : length;
    v[15] = block_flags(flags, first, last, i, blocks);
    all_rounds(v, m);
    if (mode == WIDENING) {
      for (int j = 0; j < 8; j++) cv[8 + j] = v[8 + j] ^ from[j];
    }
    for (int j = 0; j < 8; j++) cv[j] = v[j] ^ v[j + 8];
  }
}

#endif

NOINLINE void compress_blocks_by(
    compress_mode mode, cv_word cv[8], u8 *input, u32 blocks, u64 counter, u32 length, u32 flags, u32 first, u32 last) {
  compress_chain(mode, cv, cv, input, blocks, (u32)counter, (u32)(counter >> 32), length, flags, first, last);
}
