// BLAKE3 subtrees: the chaining values of whole ranges of chunks, for instances that share one memory. There is no
// memory map and no state: the caller chooses where everything is, the stack included (stackRestore), so that each
// instance has places of its own.
//
// Exports:
//   groups(p, input, length, per, low, high, cvs)
//       the groups of `per` chunks, a power of 2, in `length` bytes -> a chaining value each. The first chunk has the
//       64-bit number high:low; the last chunk, and so the last group, may be short
//   level(p, cvs, count, out)
//       pairs of neighbours' chaining values -> their parents', and an odd one as it is; `out` may be `cvs`
//   merge(p, cvs, count)
//       neighbours' chaining values -> that of all of them, in the place of the first
//   collect(p, cvs, count, nodes)
//       the groups' values -> the two under the root, in place, and the nodes that they make in post-order. `count` is at
//       least 2
//   clear(start, length)
//       zeroes bytes: JavaScript zeroes shared memory byte by byte
//   chain(turns, ofVectors)
//       the build with lanes only: takes time, and changes nothing (latency.h)
//
// The build with lanes reads VECTOR_LATENCY (memory.h), which is the same for all instances.
#define NO_MAP
#include "hash-many.h"

typedef struct {
  u32 key[8]; // for the plain hash the IV
  u32 flags;  // the mode's, and ROOT_NODE if one call of `groups` hashes a whole message of at most one chunk, or one of
              // `level` or `merge` the root of two values
} parameters;

// The last chunk of a message, which may be short.
INLINE void last_chunk(const parameters *p, u64 counter, const u8 *input, u32 length, cv_word *cv) {
  u8 block[BLOCK];
  u32 blocks = (length - 1) / BLOCK, rest = length - blocks * BLOCK, start = CHUNK_START;
  const cv_word *from = p->key;
  if (blocks) {
    compress_blocks(from, cv, input, blocks, counter, BLOCK, p->flags & ~ROOT_NODE, start, 0, false);
    from = cv, start = 0;
  }
  copy(block, input + blocks * BLOCK, rest);
  wipe(block + rest, BLOCK - rest);
  compress_blocks(from, cv, block, 1, counter, rest, p->flags, start, CHUNK_END, false);
  wipe(block, BLOCK);
}

// The chaining value of each chunk. ROOT_NODE is for a chunk's last block alone.
static NOINLINE void chunks(const parameters *p, const u8 *input, u32 length, u32 low, u32 high, u8 *cvs) {
  u64 counter = (u64)high << 32 | low;
  u32 whole = length / CHUNK, rest = length % CHUNK, root = p->flags & ROOT_NODE, end = CHUNK_END | root;
  hash_many(input, whole, CHUNK_BLOCKS, p->key, counter, true, p->flags & ~root, CHUNK_START, end, cvs);
  if (rest) last_chunk(p, counter + whole, input + whole * CHUNK, rest, (cv_word *)(cvs + whole * CV));
}

// An odd one at the end waits for a neighbour on a higher level, which makes every left subtree whole.
EXPORT(level)
NOINLINE void level(const parameters *p, const u8 *cvs, u32 count, u8 *out) {
  hash_many(cvs, count / 2, 1, p->key, 0, false, p->flags | PARENT, 0, 0, out);
  if (count % 2) copy_cv(out + count / 2 * CV, cvs + (count - 1) * CV);
}

EXPORT(groups)
void groups(const parameters *p, const u8 *input, u32 length, u32 per, u32 low, u32 high, u8 *cvs) {
  chunks(p, input, length, low, high, cvs);
  u32 count = (length + CHUNK - 1) / CHUNK;
  for (; per > 1; per /= 2, count = (count + 1) / 2) level(p, cvs, count, cvs);
}

EXPORT(merge)
void merge(const parameters *p, u8 *cvs, u32 count) {
  for (; count > 1; count = (count + 1) / 2) level(p, cvs, count, cvs);
}

// ---- subtrees of groups with their nodes ----

#define NODE (2 * CV)

// How many nodes are complete before a leaf: those of the whole subtrees that lie to its left.
INLINE u32 complete_before(u32 leaf) { return leaf - __builtin_popcount(leaf); }

EXPORT(collect) void collect(const parameters *p, u8 *cvs, u32 count, u8 *nodes) {
  u32 leaves = count;
  for (u32 height = 1;; height++, count = (count + 1) / 2) {
    for (u32 pair = 0; pair < count / 2; pair++) {
      u32 first = pair << height, own = min32(1u << height, leaves - first) - 1;
      copy(nodes + (complete_before(first) + own - 1) * NODE, cvs + pair * NODE, NODE);
    }
    if (count == 2) return;
    level(p, cvs, count, cvs);
  }
}

EXPORT(clear) void clear(u8 *start, u32 length) { wipe(start, length); }
