// Many messages of BLAKE2 under the same parameters, side by side in the lanes. The input area is cut into a slice for each lane;
// a slice holds the lane's messages one after the other, each starting at a whole block. A lane that is done with a message
// takes the next, and a message that its slice cuts off continues with the next call. Where a message ends, the digest replaces
// its first bytes in the slice.
#pragma once
#include "compress-lanes.h"
#include "mode.h"

#define SLICE (INPUT_SIZE / LANES)
#define LIST (JOBS_SIZE / sizeof(u32) / LANES) // the most jobs in a lane's list
#define ENDS 0x80000000 // a job's flag: the message ends with it. The other bits are its length in bytes; 0 ends the list.

// A message in progress; h becomes the digest.
typedef struct {
  WORD h[8];
  u64 count; // bytes compressed, the key's block included
} pending;

// What all messages of a call share.
typedef struct {
  const parameters *p;
  u32 prefix;    // bytes before every message: a block of key, or none
  WORD first[8]; // the chaining value after them
  u8 key[BLOCK];
} batch;

typedef struct {
  pending message;
  u32 begun; // whether the message has begun
  u32 busy;
  u32 job;               // number of the next one in this lane's list
  u32 left;              // bytes of the job that are not compressed yet
  u32 ends;              // whether the message ends with the job
  u8 *first, *at, *next; // the job's first byte, its next block, the next job's first byte
} worker;

_Static_assert(LANES * sizeof(worker) <= WORKERS_SIZE, "the workers overflow their area");
_Static_assert(SLICE / BLOCK <= LIST, "a slice of empty messages overflows its list");

// Blocks before the job's last one, if the message ends with it.
INLINE u32 plain_blocks(const worker *w) { return w->ends ? (w->left ? (w->left - 1) / BLOCK : 0) : w->left / BLOCK; }

INLINE u32 is_last(const worker *w) { return w->ends && w->left <= BLOCK; }

// Zero-pads a last block. Most need no padding, and a call to zero nothing costs as much as any other.
INLINE void pad_last(const worker *w) {
  if (w->left < BLOCK) wipe(w->at + w->left, BLOCK - w->left);
}

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

// Compresses the next blocks of each worker, or the last one of each that is_last().
SMALL void advance(const batch *b, worker *const workers[], u32 count, u32 blocks) {
  lane lanes[LANES];
  for (u32 i = 0; i < count; i++) {
    worker *w = workers[i];
    lanes[i] = is_last(w) ? last_lane(b, w) : (lane){w->message.h, w->at, after(w->message.count)};
  }
  compress_chains(lanes, count, BLOCK, blocks);
  for (u32 i = 0; i < count; i++) workers[i]->message.count += blocks * BLOCK;
}

INLINE void take_job(const batch *b, worker *w, const u32 *jobs) {
  u32 job = w->job < LIST ? jobs[w->job] : 0;
  if (!job) return;
  w->job++;
  w->busy = 1;
  w->ends = job & ENDS;
  w->left = job & ~ENDS;
  w->first = w->at = w->next;
  w->next += w->left ? (w->left + BLOCK - 1) / BLOCK * BLOCK : BLOCK;
  if (!w->begun) begin(b, &w->message);
  w->begun = 1;
}

INLINE void step(worker *w, u32 blocks) {
  if (is_last(w)) {
    copy(w->first, w->message.h, DIGEST);
    w->busy = w->begun = 0;
  } else {
    w->at += blocks * BLOCK, w->left -= blocks * BLOCK;
    w->busy = w->left != 0;
  }
}

SMALL void work(const batch *b) {
  worker *workers = (worker *)WORKERS, *busy[LANES];
  for (u32 i = 0; i < LANES; i++) workers[i].job = workers[i].busy = 0, workers[i].next = INPUT + i * SLICE;
  for (;;) {
    u32 count = 0, blocks = ~0u;
    for (u32 i = 0; i < LANES; i++) {
      worker *w = &workers[i];
      if (!w->busy) take_job(b, w, (const u32 *)JOBS + i * LIST);
      if (!w->busy) continue;
      busy[count++] = w;
      blocks = min32(blocks, plain_blocks(w));
    }
    if (!count) return;
    if (!blocks) blocks = 1;
    advance(b, busy, count, blocks);
    for (u32 i = 0; i < count; i++) step(busy[i], blocks);
  }
}

EXPORT(many) void many(void) {
  batch b = {.p = (const parameters *)PARAMETERS};
  start_chain(b.first, b.p->block);
  if (key_length(b.p)) {
    b.prefix = BLOCK;
    load_key(b.key, b.p);
    compress_blocks(b.first, b.key, 1, after(0));
  }
  work(&b);
  wipe(&b, sizeof b);
}

EXPORT(lanes) u32 lanes(void) { return LANES; }
