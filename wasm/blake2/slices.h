// Many messages side by side. The input area is cut into a slice for each lane; a slice holds the lane's messages one after
// the other, each from a whole block on. A lane that is done with a message takes the next, and a message that its slice
// cuts off goes on with the next call. Where a message ends, the digest takes the place of its first bytes in the slice.
//
// The including file says what BLOCK, DIGEST and LANES are, and
//   pending  a message in progress; its member h becomes the digest
//   batch    what all messages of a call share
//   begin(batch, pending)
//   advance(batch, workers, count, blocks)   compresses the next blocks, or the last one of whoever is_last()
#pragma once
#include "../memory.h"

#define SLICE (INPUT_SIZE / LANES)
#define LIST (JOBS_SIZE / sizeof(u32) / LANES) // jobs in a lane's list at most
#define ENDS 0x80000000 // a job's flag: the message ends with it. The rest is its length in bytes; 0 ends the list.

typedef struct {
  pending message;
  u32 begun; // the message has
  u32 busy;
  u32 job;   // number of the next one in this lane's list
  u32 left;  // bytes of the job that are still to come
  u32 ends;  // the message ends with the job
  u8 *first, *at, *next; // the job's first byte, its next block, the next job's first byte
} worker;

_Static_assert(LANES * sizeof(worker) <= WORKERS_SIZE, "the workers overflow their area");
_Static_assert(SLICE / BLOCK <= LIST, "a slice of empty messages overflows its list");

// Blocks ahead of the job's last one, which needs a look of its own.
INLINE u32 plain_blocks(const worker *w) { return w->ends ? (w->left ? (w->left - 1) / BLOCK : 0) : w->left / BLOCK; }

INLINE u32 is_last(const worker *w) { return w->ends && w->left <= BLOCK; }

// Zeroes what is left of a last block; nothing is, most often, and a call for it would cost as much as for all.
INLINE void pad_last(const worker *w) {
  if (w->left < BLOCK) wipe(w->at + w->left, BLOCK - w->left);
}

INLINE void begin(const batch *b, pending *m);
SMALL void advance(const batch *b, worker *const workers[], u32 count, u32 blocks);

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

EXPORT(lanes) u32 lanes(void) { return LANES; }
