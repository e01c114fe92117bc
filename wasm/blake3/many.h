// Independent messages of at most one chunk, one in each lane. A lane that has finished its message takes the next. All
// lanes continue until the first of them is done; the last message continues alone.
#pragma once
#include "node.h"
#include "hash-many.h"

#define IDLE 0x7fffffff // the remaining bytes of a lane without a message: it is never done

typedef struct {
  lanes run;
  i32 left[4]; // remaining bytes of each lane's message; 0 or less if it is done
} lane_messages;

// The messages that no lane has taken yet.
typedef struct {
  const i32 *length, *end; // the next one's length, and the end of the lengths
  u8 *input, *digest;      // where the next one is, and where its digest goes
} queue;

// Gives a lane the next message. If there is none left, it is idle, and its result goes after the last digest.
INLINE void take(lane_messages *l, u32 lane, queue *q, const cv_word *key) {
  l->left[lane] = IDLE, l->run.inputs[lane] = INPUT, l->run.outs[lane] = q->digest;
  ((u32 *)&l->run.first)[lane] = CHUNK_START;
  copy_cv(q->digest, key);
  if (q->length == q->end) return;
  u32 length = *q->length++, size = blocks_of(length) * BLOCK;
  if (length < size) wipe(q->input + length, size - length);
  l->left[lane] = length, l->run.inputs[lane] = q->input;
  q->input += size, q->digest += CV;
}

// The remaining blocks of the shortest message, in all lanes.
INLINE void advance(lane_messages *l, u32 shortest, u32 busy, u32 lane) {
  lanes *c = &l->run;
  u32 blocks = blocks_of(shortest);
  i32x4 left = (i32x4)load_u32x4(l->left), size = (i32x4)splat(blocks * BLOCK);
  c->blocks = blocks;
  c->length = (u32x4)min_i32x4(left - size + BLOCK, (i32x4)splat(BLOCK));
  c->last = (u32x4)(left <= size) & (CHUNK_END | ROOT_NODE);
  if (busy > 1) {
    hash_lanes(c, false);
  } else {
    u32 rest = shortest - (blocks - 1) * BLOCK, first = ((const u32 *)&c->first)[lane];
    cv_word *cv = (cv_word *)c->outs[lane];
    compress_blocks(cv, cv, c->inputs[lane], blocks, 0, rest, c->flags, first, CHUNK_END | ROOT_NODE, false);
  }
  c->first = splat(0);
  store_u32x4(c->inputs, load_u32x4(c->inputs) + (u32x4)size);
  store_u32x4(l->left, (u32x4)(left - size));
}

EXPORT(many) void many(u32 count) {
  require_area(JOBS, count * sizeof(i32)), require_output((count + 1) * CV);
  const parameters *p = (const parameters *)PARAMETERS;
  const i32 *lengths = (const i32 *)JOBS;
  queue q = {lengths, lengths + count, INPUT, OUTPUT};
  lane_messages l = {.run = {.flags = p->flags, .groups = 1}};
  for (;;) {
    u32 shortest = CHUNK, busy = 0, one = 0;
    ROLLED
    for (u32 lane = 0; lane < 4; lane++) {
      if (l.left[lane] <= 0) take(&l, lane, &q, p->key);
      if (l.left[lane] > CHUNK) continue;
      shortest = min32(shortest, l.left[lane]);
      busy++, one = lane;
    }
    if (!busy) break;
    advance(&l, shortest, busy, one);
  }
  wipe(INPUT, q.input - INPUT);
  wipe(q.digest, CV);
}
