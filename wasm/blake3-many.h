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

// Each lane's own input, chaining value, length and flags; a chunk of its own is the root.
SMALL void advance(const batch *p, worker *const workers[], u32 count, u32 blocks) {
  u8 out[LANES][CV];
  chains c = {.cv_stride = CV, .end = blocks, .flags = p->flags, .blocks = blocks, .groups = 1, .lanes = count};
  for (u32 i = 0; i < LANES; i++) {
    const worker *w = workers[i < count ? i : 0];
    c.inputs[i] = w->at, c.cvs[i] = (const u8 *)w->message.h;
    c.length[i] = is_last(w) ? w->left : BLOCK;
    c.first[i] = w->message.blocks ? 0 : CHUNK_START;
    c.last[i] = is_last(w) ? CHUNK_END | ROOT_NODE : 0;
    if (is_last(w)) pad_last(w);
  }
  hash_lanes(&c, out[0], NARROW);
  for (u32 i = 0; i < count; i++) {
    copy(workers[i]->message.h, out[i], CV);
    workers[i]->message.blocks += blocks;
  }
  wipe(out, sizeof out);
}

EXPORT(many) void many(void) { work((const batch *)PARAMETERS); }
