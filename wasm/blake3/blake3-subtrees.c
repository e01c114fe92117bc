// BLAKE3 subtrees: the chaining values of whole ranges of chunks, for instances that share one memory. There is no memory map
// and no state: the caller chooses where everything is, the stack included (stackRestore), so that each instance has places of
// its own.
//
// Exports:
//   chunks(p, input, length, low, high, cvs)  the chunks of `length` bytes, of which the first has the 64-bit number high:low
//                                             and the last may be short -> a chaining value each
//   groups(p, input, length, per, low, high, cvs)
//                                             the same, then of each `per` chunks, a power of 2 of them, one value: the last
//                                             group may be short
//   level(p, cvs, count, out)                 pairs of neighbours' chaining values -> their parents', and an odd one as it is;
//                                             `out` may be `cvs`
//   merge(p, cvs, count)                      neighbours' chaining values -> that of all of them, in the place of the first
//   clear(start, length)                      zeroes bytes: JavaScript zeroes shared memory byte by byte
#define NO_MAP
#include "runs.h"

typedef struct {
  u32 key[8]; // for the plain hash the IV
  u32 flags;  // the mode's, and ROOT_NODE where one call of `chunks` computes a whole message, or one of `level` or `merge` the
              // root of two values
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
NOT_INLINED void chunks(const parameters *p, const u8 *input, u32 length, u32 low, u32 high, u8 *cvs) {
  u64 counter = (u64)high << 32 | low;
  u32 whole = length / CHUNK, rest = length % CHUNK, blocks = rest ? (rest - 1) / BLOCK : 0;
  u32 root = p->flags & ROOT_NODE; // for a chunk's last block alone
  run r = {p->key, counter, 1, CHUNK_BLOCKS, p->flags & ~root, CHUNK_START, CHUNK_END | root};
  hash_run(&r, input, whole, blocks, cvs);
  if (!rest) return;
  u8 *cv = cvs + whole * CV;
  if (!blocks) copy(cv, p->key, CV);
  finish_chunk(p, counter + whole, input + whole * CHUNK, rest, blocks, cv);
}

// An odd one at the end waits for a neighbour on a higher level, which makes every left subtree whole.
EXPORT(level)
NOT_INLINED void level(const parameters *p, const u8 *cvs, u32 count, u8 *out) {
  run r = {p->key, 0, 0, 1, p->flags | PARENT, 0, 0};
  hash_run(&r, cvs, count / 2, 0, out);
  if (count % 2) copy_cv(out + count / 2 * CV, cvs + (count - 1) * CV);
}

EXPORT(groups)
void groups(const parameters *p, const u8 *input, u32 length, u32 per, u32 low, u32 high, u8 *cvs) {
  u32 count = (length + CHUNK - 1) / CHUNK;
  chunks(p, input, length, low, high, cvs);
  for (; per > 1; per /= 2, count = (count + 1) / 2) level(p, cvs, count, cvs);
}

EXPORT(merge)
void merge(const parameters *p, u8 *cvs, u32 count) {
  for (; count > 1; count = (count + 1) / 2) level(p, cvs, count, cvs);
}

EXPORT(clear) void clear(u8 *start, u32 length) { wipe(start, length); }
