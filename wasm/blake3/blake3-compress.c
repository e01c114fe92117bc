// The code that differs between the builds: blocks, runs of chunks and parents, the output and, with lanes, several
// messages at a time. The export `hash` is here because a message of one chunk needs nothing else.
#include "node.h"
#include "output.h"
#ifdef SIMD
#include "many.h"
#endif

// ---- a message of at most one chunk, from INPUT ----

INLINE void pad(u32 length) {
#ifdef JAVASCRIPT
  // Zeroing a block that is not read would take 2 % of a hash of 64 bytes in engines that interpret.
  if (length % BLOCK == 0 && length) return;
#endif
  wipe(INPUT + length, BLOCK);
}

// The last block is padded in INPUT, and OUTPUT holds the chaining value. Up to a block of output needs no other
// compression.
INLINE void hash_one_chunk(const parameters *p, u32 length, u32 output_length) {
  u32 blocks = blocks_of(length), rest = length - (blocks - 1) * BLOCK;
  pad(length);
  u32 flags = p->flags | FIRST(CHUNK_START) | LAST(CHUNK_END | ROOT_NODE) | WIPING;
  if (output_length > CV) flags |= WIDENING;
  compress_chain(p->key, (cv_word *)OUTPUT, INPUT, blocks, 0, rest, flags);
}

EXPORT(hash) void hash(u32 length, u32 output_length) {
  require_input(INPUT, length), require_output(output_length);
  if (length <= CHUNK && output_length <= BLOCK) hash_one_chunk((const parameters *)PARAMETERS, length, output_length);
  else hash_tree(length, output_length);
}
