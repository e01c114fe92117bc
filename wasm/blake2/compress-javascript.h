// The BLAKE2 compression function of one message for JavaScript. BLAKE2b's rounds are a loop: V8 does not optimize a function
// that has them written out. BLAKE2s's are written out, which doubles their speed.
#pragma once
#include "../rounds/row-offsets.h"
#include "../rounds/scalar-round.h"
#include "compress.h"

typedef split_word(WORD) word;
#define WORD_AT(p) load_words(p, WORD)

// The mixing function G (RFC 7693 section 3.1).
#define G(a, b, c, d, x, y)                        \
  a = add_words(add_words(a, MESSAGE_WORD(x)), b); \
  d = ROTATE_1(xor_words(d, a));                   \
  c = add_words(c, d);                             \
  b = ROTATE_2(xor_words(b, c));                   \
  a = add_words(add_words(a, MESSAGE_WORD(y)), b); \
  d = ROTATE_3(xor_words(d, a));                   \
  c = add_words(c, d);                             \
  b = ROTATE_4(xor_words(b, c));

#if ROUNDS == 12

#define MESSAGE_WORD(x) WORD_AT(block + offsets[x])
#define ROUND(...) ROW_OFFSETS(__VA_ARGS__),
static const u8 SCHEDULE[10][16] = {TEN_ROUNDS};

INLINE void all_rounds(word v[16], const u8 *block) {
#pragma clang loop unroll(disable)
  for (u32 round = 0; round < ROUNDS; round++) {
    const u8 *offsets = SCHEDULE[round < 10 ? round : round - 10];
    SCALAR_ROUND(ROW_PLACES)
  }
}

#else

#define MESSAGE_WORD(x) m[x]
#define ROUND SCALAR_ROUND

INLINE void all_rounds(word v[16], const u8 *block) {
  word m[16];
  for (int i = 0; i < 16; i++) m[i] = WORD_AT(block + i * sizeof(WORD));
  ALL_ROUNDS
}

#endif

// The compression function F (RFC 7693 section 3.2) of each block, with the chaining value in locals throughout.
void compress_scalars(WORD chain[8], const u8 *blocks, u32 stride, u32 count, WORD t0, WORD t1, WORD f0, WORD f1) {
  u8 copied[BLOCK] ALIGNED;
  word h[8], v[16];
  u32 unaligned = (u32)blocks % 4;
  for (int i = 0; i < 8; i++) h[i] = WORD_AT(chain + i);
  for (; count; count--, blocks += stride) {
    position p = count_block((position){t0, t1, f0, f1});
    t0 = p.t0, t1 = p.t1;
    for (int i = 0; i < 8; i++) v[i] = h[i], v[i + 8] = split(IV[i]);
    v[12] = xor_words(v[12], split(t0)), v[13] = xor_words(v[13], split(t1));
    v[14] = xor_words(v[14], split(f0)), v[15] = xor_words(v[15], split(f1));
    all_rounds(v, aligned_block(blocks, copied));
    for (int i = 0; i < 8; i++) h[i] = xor_words(h[i], xor_words(v[i], v[i + 8]));
  }
  for (int i = 0; i < 8; i++) store_words(chain + i, h[i]);
  if (unaligned) wipe(copied, BLOCK);
}
