// What BLAKE3 computes over the shapes of the build: blocks, runs of chunks and parents, the output and, with lanes, messages
// side by side. Short messages take all of their time here, so their way in is here, too.
#include "output.h"
#if LANES32 == 4
#include "many.h"
#endif

// ---- a message of at most one chunk, from INPUT ----

#ifdef JAVASCRIPT
// Without a compiler it would take 2 % of a hash of 64 bytes to zero a block that is not read, and 3 % to copy the key.
INLINE void pad(u32 length) {
  if (length % BLOCK || !length) wipe(INPUT + length, BLOCK);
}
INLINE void compress_message(const cv_word *key, u32 blocks, u32 rest, u32 flags) {
  cv_word *out = (cv_word *)OUTPUT;
  compress_chain(WIPING, key, out, INPUT, blocks, 0, 0, rest, flags, CHUNK_START, CHUNK_END | ROOT_NODE);
}
#else
INLINE void pad(u32 length) { wipe(INPUT + length, BLOCK); }
#define compress_message(key, blocks, rest, flags) \
  copy_cv(OUTPUT, key),                            \
      compress_blocks_and_wipe((cv_word *)OUTPUT, INPUT, blocks, 0, rest, flags, CHUNK_START, CHUNK_END | ROOT_NODE)
#endif

// The last block is padded in INPUT, and OUTPUT holds the chaining value.
INLINE void hash_one_chunk(const parameters *p, u32 length) {
  u32 blocks = blocks_of(length), rest = length - (blocks - 1) * BLOCK;
  pad(length);
  compress_message(p->key, blocks, rest, p->flags);
}

EXPORT(hash) void hash(u32 length, u32 output_length) {
  require_input(INPUT, length), require_output(output_length);
  if (length <= CHUNK && output_length <= CV) hash_one_chunk((const parameters *)PARAMETERS, length);
  else hash_tree(length, output_length);
}
