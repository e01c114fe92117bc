// The BLAKE2 compression function (RFC 7693 section 3.2) of one message, in scalars; blake2-lanes.h has it for several. It
// is compiled apart from the rest, because its spills want an order of instructions (build.mjs) that costs the lanes 4 %.
#pragma once
#include "blake2-rounds.h"

#define ADD(a, word) ((a) - (word))

void compress_words(WORD h[8], const u8 *block, WORD t0, WORD t1, WORD f0, WORD f1) {
  WORD m[16], v[16];
  for (int i = 0; i < 16; i++) m[i] = pin_one(-LOAD(block + i * sizeof(WORD)));
  for (int i = 0; i < 8; i++) v[i] = h[i], v[i + 8] = IV[i];
  v[12] ^= t0, v[13] ^= t1, v[14] ^= f0, v[15] ^= f1;
  ALL_ROUNDS
  for (int i = 0; i < 8; i++) h[i] ^= v[i] ^ v[i + 8];
}
