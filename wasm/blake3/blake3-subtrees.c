// BLAKE3 subtrees: the chaining values of whole ranges of chunks, for instances that share one memory. There is no memory map
// and no state: the caller chooses where everything is, the stack included (stackRestore), so that each instance has places of
// its own.
//
// Exports:
//   chunks(p, input, length, low, high, cvs)  the chunks of `length` bytes, of which the first has the 64-bit number high:low
//                                             and the last may be short -> a chaining value each
//   merge(p, cvs, count)                      neighbours' chaining values -> that of all of them, in the place of the first
//   clear(start, length)                      zeroes bytes: JavaScript zeroes shared memory byte by byte
#define NO_MAP
#include "runs.h"

typedef struct {
  u32 key[8]; // for the plain hash the IV
  u32 flags;  // the mode's
} parameters;

// The last chunk of a message, which may be short. `blocks` of its blocks are in `cv` already.
INLINE void finish_chunk(const parameters *p, u64 counter, const u8 *input, u32 length, u32 blocks, u8 *cv) {
  u8 block[BLOCK];
  u32 rest = length - blocks * BLOCK;
  copy(block, input + blocks * BLOCK, rest);
  wipe(block + rest, BLOCK - rest);
  compress_blocks((cv_word *)cv, block, 1, counter, rest, p->flags, blocks ? 0 : CHUNK_START, CHUNK_END);
  wipe(block, BLOCK);
}

EXPORT(chunks)
void chunks(const parameters *p, const u8 *input, u32 length, u32 low, u32 high, u8 *cvs) {
  u64 counter = (u64)high << 32 | low;
  u32 whole = length / CHUNK, rest = length % CHUNK, blocks = rest ? (rest - 1) / BLOCK : 0;
  run r = {p->key, counter, 1, CHUNK_BLOCKS, p->flags, CHUNK_START, CHUNK_END};
  hash_run(&r, input, whole, blocks, cvs);
  if (!rest) return;
  u8 *cv = cvs + whole * CV;
  if (!blocks) copy(cv, p->key, CV);
  finish_chunk(p, counter + whole, input + whole * CHUNK, rest, blocks, cv);
}

EXPORT(merge)
void merge(const parameters *p, u8 *cvs, u32 count) { merge_levels(p->key, p->flags, cvs, count, 1); }

EXPORT(clear) void clear(u8 *start, u32 length) { wipe(start, length); }
