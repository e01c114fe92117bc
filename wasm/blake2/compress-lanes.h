// The BLAKE2 compression function over independent chains, each in a lane of every vector; in the baseline build one
// after the other.
#pragma once
#include "compress.h"
#include "../rounds.h"

// A chain, and where its next block is.
typedef struct {
  word *h;
  const u8 *input;
  position at;
} lane;

#ifdef SIMD

LOADED_APART void load_message(vector m[16], const u8 *const input[LANES]) {
  for (u32 i = 0; i < 16; i += LANES) load_columns(m + i, input, i * sizeof(word));
}

// The rounds are written out, like those of scalars: in a loop BLAKE2bp is 12 % slower.
static NOINLINE void compress_lanes(const lane lanes[LANES], u32 stride, u32 blocks) {
  vector h[8], v[16], m[16], t0, t1, f0, f1;
  const u8 *input[LANES];
  u8 *chains[LANES];
  for (int i = 0; i < LANES; i++) {
    input[i] = lanes[i].input, chains[i] = (u8 *)lanes[i].h;
    t0[i] = lanes[i].at.t0, t1[i] = lanes[i].at.t1, f0[i] = lanes[i].at.f0, f1[i] = lanes[i].at.f1;
  }
  for (u32 i = 0; i < 8; i += LANES) load_columns(h + i, (const u8 *const *)chains, i * sizeof(word));
  for (; blocks; blocks--) {
    load_message(m, input);
    for (int i = 0; i < LANES; i++) input[i] += stride;
    vector before = t0;
    t0 += splat(BLOCK);
    t1 += (before & ~t0) >> (WORD - 1);
    for (int i = 0; i < 8; i++) v[i] = h[i], v[i + 8] = splat(IV[i]);
    v[12] ^= t0, v[13] ^= t1, v[14] ^= f0, v[15] ^= f1;
    EACH_ROUND
    for (int round = 0; round < ROUNDS; round++) round_of_lanes(v, m, SIGMA[round < 10 ? round : round - 10]);
    for (int i = 0; i < 8; i++) h[i] ^= v[i] ^ v[i + 8];
  }
  for (u32 i = 0; i < 8; i += LANES) store_columns(h + i, chains, i * sizeof(word));
  if (ROUNDS_IN_LOOP) wipe(m, sizeof m);
}

#endif

// Compresses `blocks` blocks of each of `count` chains. Unused lanes of a vector compute results that nobody reads.
SMALL void compress_chains(const lane *lanes, u32 count, u32 stride, u32 blocks) {
#ifdef SIMD
  for (; count > 1; lanes += LANES, count -= min32(count, LANES)) {
    if (count >= LANES) {
      compress_lanes(lanes, stride, blocks);
      continue;
    }
    word spare[8];
    lane filled[LANES];
    for (u32 i = 0; i < LANES; i++) filled[i] = i < count ? lanes[i] : (lane){spare, lanes->input, lanes->at};
    compress_lanes(filled, stride, blocks);
    wipe(spare, sizeof spare);
  }
#endif
  for (const lane *l = lanes; count; count--, l++) compress_strided(l->h, l->input, stride, blocks, l->at);
}
