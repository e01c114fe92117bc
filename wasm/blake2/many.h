// Independent messages of BLAKE2 under the same parameters, one in each lane. A lane that has finished its message
// takes the next. All lanes continue until one of them reaches its last block.
#pragma once
#include "compress-lanes.h"
#include "mode.h"

// The messages that no lane has taken yet.
typedef struct {
  const u32 *length, *end; // the next one's length, and the end of the lengths
  u8 *input, *digest;      // where the next one is, and where its digest goes
} queue;

typedef struct {
  word *h;   // the chaining value, which becomes the digest
  u8 *input; // the next block
  u32 left;  // bytes from there on; 0 if the lane has no message
  u32 done;  // bytes that have been compressed, the key's block included
} worker;

// The chaining value that all messages start with. Returns how many bytes it covers: a block of key, or none.
INLINE u32 start_messages(word first[8], const parameters *p) {
  start_chain(first, p->block);
  if (!key_length(p)) return 0;
  u8 key[BLOCK];
  load_key(key, p);
  compress_blocks(first, key, 1, after(0));
  wipe(key, BLOCK);
  return BLOCK;
}

SMALL void take(worker *w, queue *q, const word first[8], u32 prefix) {
  if (q->length == q->end) return;
  u32 length = *q->length++, size = (length + BLOCK - 1) / BLOCK * BLOCK;
  if (length < size) wipe(q->input + length, size - length);
  *w = (worker){(word *)q->digest, q->input, length, prefix};
  copy(w->h, first, DIGEST);
  q->input += size, q->digest += DIGEST;
}

// Blocks of each lane's message: the last one, or some before it.
SMALL void advance(worker workers[LANES], u32 blocks, u32 flags) {
  lane lanes[LANES];
  u32 count = 0;
  for (worker *w = workers; w < workers + LANES; w++) {
    if (!w->left) continue;
    lanes[count++] = (lane){w->h, w->input, w->left > BLOCK ? after(w->done) : last(w->done + w->left, flags)};
    w->input += blocks * BLOCK, w->done += blocks * BLOCK;
    w->left -= min32(w->left, blocks * BLOCK);
  }
  compress_chains(lanes, count, BLOCK, blocks);
}

EXPORT(many) void many(u32 count) {
  require_area(JOBS, count * sizeof(u32)), require_output(count * DIGEST);
  const parameters *p = (const parameters *)PARAMETERS;
  const u32 *lengths = (const u32 *)JOBS;
  queue q = {lengths, lengths + count, INPUT, OUTPUT};
  worker workers[LANES] = {0};
  word first[8];
  u32 prefix = start_messages(first, p);
  for (;;) {
    u32 blocks = ~0u;
    for (worker *w = workers; w < workers + LANES; w++) {
      if (!w->left) take(w, &q, first, prefix);
      if (w->left) blocks = min32(blocks, (w->left - 1) / BLOCK);
    }
    if (blocks == ~0u) break;
    advance(workers, blocks ? blocks : 1, p->flags);
  }
  wipe(first, sizeof first);
  wipe(INPUT, q.input - INPUT);
}
