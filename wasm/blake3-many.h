// Independent messages of BLAKE3 of one chunk at most, side by side in the lanes; included by blake3.c.
#pragma once

#define LANES 4
#define DIGEST CV

typedef struct {
  u32 h[8];
  u32 blocks; // of the chunk that are compressed
} pending;

typedef parameters batch;

#include "many.h"

INLINE void begin(const batch *p, pending *m) {
  copy(m->h, p->key, CV);
  m->blocks = 0;
}

// A chunk of its own is the root.
INLINE u32 lane_flags(const batch *p, const worker *w, u32 block) {
  return p->flags | (w->message.blocks + block ? 0 : CHUNK_START) | (is_last(w) ? CHUNK_END | ROOT_NODE : 0);
}

// A vector with fewer than four messages repeats the first.
static void advance(const batch *p, worker *const workers[], u32 count, u32 blocks) {
  const u8 *input[LANES], *chains[LANES];
  u32x4 v[16], m[16], length, flags[2];
  for (u32 i = 0; i < LANES; i++) {
    const worker *w = workers[i < count ? i : 0];
    input[i] = w->at, chains[i] = (const u8 *)w->message.h;
    length[i] = is_last(w) ? w->left : BLOCK;
    flags[0][i] = lane_flags(p, w, 0), flags[1][i] = lane_flags(p, w, 1);
    if (is_last(w)) pad_last(w);
  }
  load_columns(v, chains, 0), load_columns(v + 4, chains, 16);
  for (u32 block = 0; block < blocks; block++) {
    load_message(m, input, block * BLOCK);
    v[12] = v[13] = splat_u32x4(0), v[14] = length, v[15] = flags[block > 0];
    compress_lanes(v, m);
  }
  transpose_u32x4(&v[0], &v[1], &v[2], &v[3]), transpose_u32x4(&v[4], &v[5], &v[6], &v[7]);
  for (u32 i = 0; i < LANES; i++) {
    if (i < count) {
      u32 *h = workers[i]->message.h;
      store_u32x4(h, v[i]), store_u32x4(h + 4, v[4 + i]);
    }
  }
  for (u32 i = 0; i < count; i++) workers[i]->message.blocks += blocks;
}

EXPORT(many) void many(void) { work((const batch *)PARAMETERS); }
