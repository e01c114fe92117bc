// What differs between the builds: the output, messages of one chunk, which need nothing else, and with lanes several
// messages at a time.
#include "hash-many.h"
#include "node.h"
#ifdef SIMD
#include "many.h"
#endif

// ---- chunks, with the blocks after them ----

#ifdef SIMD

// One to three chunks and the tail, which is shorter: lanes have equally many blocks, so the chunks' others come after.
INLINE void hash_with_tail(
    const u8 *input, u32 chunks, u32 tail, const cv_word key[8], u64 counter, u32 flags, u8 *out, cv_word tail_cv[8]) {
  lanes l = {.first = splat(CHUNK_START), .length = splat(BLOCK), .key = key, .counter = counter, .flags = flags};
  l.stride = CHUNK, l.step = 1, l.groups = 1, l.blocks = tail;
  place_lanes(&l, input, chunks + 1, out, CV);
  l.outs[chunks] = (u8 *)tail_cv;
  hash_lanes(&l, false);
  input += tail * BLOCK;
  u32 blocks = CHUNK_BLOCKS - tail;
  if (chunks == 1) {
    cv_word *cv = (cv_word *)out;
    compress_blocks(cv, cv, input, blocks, counter, BLOCK, flags, 0, CHUNK_END, false);
    return;
  }
  l.first = splat(0), l.last = splat(CHUNK_END), l.key = 0, l.blocks = blocks;
  place_lanes(&l, input, chunks, out, CV);
  hash_lanes(&l, false);
}

#endif

NOINLINE void hash_chunks(
    const u8 *input, u32 chunks, u32 tail, const cv_word key[8], u64 counter, u32 flags, u8 *out, cv_word tail_cv[8]) {
#ifdef SIMD
  u32 whole = tail ? chunks / 4 * 4 : chunks;
#else
  u32 whole = chunks;
#endif
  hash_many(input, whole, CHUNK_BLOCKS, key, counter, true, flags, CHUNK_START, CHUNK_END, out);
  if (!tail) return;
  input += whole * CHUNK, counter += whole, out += whole * CV;
#ifdef SIMD
  hash_with_tail(input, chunks % 4, tail, key, counter, flags, out, tail_cv);
#else
  compress_blocks(key, tail_cv, input, tail, counter, BLOCK, flags, CHUNK_START, 0, false);
#endif
}

// ---- the extendable output, four blocks at a time if there are lanes ----

// Bytes of one block of output, from `skip` on.
static void output_block(const node *n, u64 counter, u32 skip, u32 length, u8 *out) {
  u32 words[16];
  compress_blocks(n->cv, words, n->block, 1, counter, n->length, n->flags, 0, 0, true);
  copy(out, (u8 *)words + skip, length);
  wipe(words, BLOCK);
}

// Output from byte `at` on, in blocks of 64 bytes (paper section 2.6).
#ifdef SIMD

#define SPAN (4 * BLOCK)

// Spans from block number `counter` on: the block and the chaining value of the root in every lane, under four
// counters.
INLINE void output_spans(const node *n, u64 counter, u32 spans, u8 *out) {
  lanes l = {.length = splat(n->length), .key = n->cv, .counter = counter};
  l.step = 1, l.blocks = 1, l.flags = n->flags, l.groups = spans;
  place_lanes(&l, n->block, 4, out, BLOCK);
  hash_lanes(&l, true);
}

// Bytes of one span, through a buffer.
static void output_part(const node *n, u64 counter, u32 skip, u32 length, u8 *out) {
  u8 span[SPAN];
  output_spans(n, counter, 1, span);
  copy(out, span + skip, length);
  wipe(span, SPAN);
}

#endif

// Up to two blocks are faster without the lanes.
NOINLINE void output(const node *n, u64 at, u32 length, u8 *out) {
  while (length) {
    u32 skip = at % BLOCK, take = min32(BLOCK - skip, length);
#ifdef SIMD
    if (skip == 0 && length >= SPAN) {
      take = length - length % SPAN;
      output_spans(n, at / BLOCK, take / SPAN, out);
    } else if (skip + length > 2 * BLOCK) {
      take = min32(SPAN - skip, length);
      output_part(n, at / BLOCK, skip, take, out);
    } else
#endif
      output_block(n, at / BLOCK, skip, take, out);
    at += take, out += take, length -= take;
  }
}

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
  cv_word *out = (cv_word *)OUTPUT;
  compress_blocks(p->key, out, INPUT, blocks, 0, rest, p->flags, CHUNK_START, CHUNK_END | ROOT_NODE, output_length > CV);
  for (u32 i = 0; i < blocks; i++) wipe(INPUT + i * BLOCK, BLOCK); // a length that is known makes stores of it
}

EXPORT(hash) void hash(u32 length, u32 output_length) {
  require_input(INPUT, length), require_output(output_length);
  if (length <= CHUNK && output_length <= BLOCK) hash_one_chunk((const parameters *)PARAMETERS, length, output_length);
  else hash_tree(length, output_length);
}
