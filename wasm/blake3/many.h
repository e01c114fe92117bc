// Independent messages of one chunk at most, side by side; included by blake3.c. A lane that is done with a message takes the
// next. All go on together until the first of them is done; the last message that is left goes on alone.
#pragma once

#define IDLE 0x7fffffff // bytes that are left of a lane's message, where it has none: the lane is never done

typedef struct {
  chains chains;
  i32 left[4]; // bytes of each lane's message that are still to come; where it is done, 0 or less
} lanes;

// The messages that no lane has taken yet.
typedef struct {
  const i32 *length, *end; // the next one's, and behind the last one's
  u8 *input, *digest; // where the next one lies, and where its digest goes
} queue;

// Idle lanes compute something, too; it goes behind the last digest.
INLINE void take(lanes *l, u32 lane, queue *q, const u32 *key) {
  l->left[lane] = IDLE, l->chains.inputs[lane] = INPUT, l->chains.outs[lane] = q->digest;
  ((u32 *)&l->chains.first)[lane] = CHUNK_START;
  copy_cv(q->digest, key);
  if (q->length == q->end) return;
  u32 length = *q->length++, size = blocks_of(length) * BLOCK;
  if (length < size) wipe(q->input + length, size - length);
  l->left[lane] = length, l->chains.inputs[lane] = q->input;
  q->input += size, q->digest += CV;
}

// As many blocks as the shortest message has left.
INLINE void advance(lanes *l, u32 shortest, u32 busy, u32 lane) {
  chains *c = &l->chains;
  u32 blocks = blocks_of(shortest);
  i32x4 left = load_i32x4(l->left), size = splat_i32x4(blocks * BLOCK);
  c->blocks = blocks;
  c->length = (u32x4)min_i32x4(left - size + BLOCK, splat_i32x4(BLOCK));
  c->last = (u32x4)(left <= size) & (CHUNK_END | ROOT_NODE);
  if (busy > 1) {
    hash_lanes(c, NARROW);
  } else {
    u32 rest = shortest - (blocks - 1) * BLOCK, first = ((const u32 *)&c->first)[lane];
    chain((u32 *)c->outs[lane], c->inputs[lane], blocks, 0, rest, c->flags, first, CHUNK_END | ROOT_NODE);
  }
  c->first = splat_u32x4(0);
  store_u32x4(c->inputs, load_u32x4(c->inputs) + (u32x4)size);
  store_u32x4(l->left, (u32x4)(left - size));
}

EXPORT(many) void many(u32 count) {
  const parameters *p = (const parameters *)PARAMETERS;
  const i32 *lengths = (const i32 *)JOBS;
  queue q = {lengths, lengths + count, INPUT, OUTPUT};
  lanes l = {.chains = {.flags = p->flags, .groups = 1}};
  for (;;) {
    u32 shortest = CHUNK, busy = 0, one = 0;
    _Pragma("clang loop unroll(disable)")
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
