// BLAKE3 subtrees where they lie: the chaining values of whole ranges of chunks, for instances that share one memory.
// There is no memory map and no state here: the caller says where everything is, the stack included (stackRestore), so
// that each instance keeps to places of its own.
//
// Exports:
//   chunks(p, input, length, low, high, cvs)  the chunks of `length` bytes, the first of which has the 64-bit number
//                                             high:low, and the last of which may be short -> a chaining value each
//   merge(p, cvs, count)                      neighbours' chaining values -> that of all of them, in the first one's place
//   clear(start, length)                      zeroes bytes: JavaScript goes about shared memory byte by byte
#include "runs.h"

typedef struct {
  u32 key[8]; // for the plain hash the IV
  u32 flags;  // the mode's
} parameters;

// The last chunk of a message, which may be short. Its whole blocks but one are in `cv` already.
INLINE void finish_chunk(const parameters *p, u64 counter, const u8 *input, u32 length, u32 blocks, u32 cv[8]) {
  u8 block[BLOCK];
  u32 rest = length - blocks * BLOCK;
  copy(block, input + blocks * BLOCK, rest);
  wipe(block + rest, BLOCK - rest);
  chain(cv, block, 1, counter, rest, p->flags, blocks ? 0 : CHUNK_START, CHUNK_END);
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
  finish_chunk(p, counter + whole, input + whole * CHUNK, rest, blocks, (u32 *)cv);
}

// Level by level; an odd one at the end waits for a neighbour on a higher level, which makes every left subtree whole.
EXPORT(merge)
void merge(const parameters *p, u8 *cvs, u32 count) {
  for (; count > 1; count = (count + 1) / 2) {
    run r = {p->key, 0, 0, 1, p->flags | PARENT, 0, 0};
    hash_run(&r, cvs, count / 2, 0, cvs);
    if (count % 2) copy(cvs + count / 2 * CV, cvs + (count - 1) * CV, CV);
  }
}

EXPORT(clear) void clear(u8 *start, u32 length) { wipe(start, length); }
