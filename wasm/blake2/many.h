// Independent messages of BLAKE2 under the same parameters, side by side in the lanes.
#pragma once
#include "message.h"

typedef struct {
  WORD h[8];
  u64 count; // bytes compressed, the key's block included
} pending;

typedef struct {
  const parameters *p;
  u32 prefix; // bytes ahead of every message: a block of key, or none
  WORD first[8]; // the chain behind them
  u8 key[BLOCK];
} batch;

#include "slices.h"

INLINE void begin(const batch *b, pending *m) {
  copy(m->h, b->first, sizeof m->h);
  m->count = b->prefix;
}

// An empty message ends with the key's block, if there is one.
INLINE lane last_lane(const batch *b, worker *w) {
  pending *m = &w->message;
  if (!w->left && b->prefix) {
    start_chain(m->h, b->p->block);
    return (lane){m->h, b->key, last(BLOCK, b->p->flags)};
  }
  pad_last(w);
  return (lane){m->h, w->at, last((u128)m->count + w->left, b->p->flags)};
}

SMALL void advance(const batch *b, worker *const workers[], u32 count, u32 blocks) {
  lane lanes[LANES];
  for (u32 i = 0; i < count; i++) {
    worker *w = workers[i];
    lanes[i] = is_last(w) ? last_lane(b, w) : (lane){w->message.h, w->at, after(w->message.count)};
  }
  compress_all(lanes, count, BLOCK, blocks);
  for (u32 i = 0; i < count; i++) workers[i]->message.count += blocks * BLOCK;
}

EXPORT(many) void many(void) {
  batch b = {.p = (const parameters *)PARAMETERS};
  start_chain(b.first, b.p->block);
  if (key_length(b.p)) {
    b.prefix = BLOCK;
    load_key(b.key, b.p);
    compress(b.first, b.key, 1, after(0));
  }
  work(&b);
  wipe(&b, sizeof b);
}
