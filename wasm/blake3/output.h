// The extendable output, four blocks at a time if there are lanes.
#pragma once
#include "node.h"
#include "runs.h"

// Bytes of one block of output, from `skip` on.
static void output_block(const node *n, u64 counter, u32 skip, u32 length, u8 *out) {
  u32 words[16];
  compress_chain(n->cv, words, n->block, 1, counter, n->length, n->flags | WIDENING);
  copy(out, (u8 *)words + skip, length);
  wipe(words, BLOCK);
}

// Output from byte `at` on, in blocks of 64 bytes (paper section 2.6).
#ifdef SIMD

#define SPAN (4 * BLOCK)

// Spans from block number `counter` on: the block and the chaining value of the root in every lane, under four
// counters.
INLINE void output_spans(const node *n, u64 counter, u32 spans, u8 *out) {
  run r = {n->cv, counter, 1, 1, n->flags};
  lane_run c;
  set_lanes(&c, &r, n->block, 0, spans, 4, out, WIDE);
  spread(c.inputs, n->block, 0, 4);
  c.stride = 0, c.length = splat(n->length);
  hash_lanes(&c, WIDE);
}

// Bytes of one span, through a buffer.
static void output_part(const node *n, u64 counter, u32 skip, u32 length, u8 *out) {
  u8 span[SPAN];
  output_spans(n, counter, 1, span);
  copy(out, span + skip, length);
  wipe(span, SPAN);
}

// Up to two blocks are faster without the lanes.
NOINLINE void output(const node *n, u64 at, u32 length, u8 *out) {
  while (length) {
    u32 skip = at % BLOCK, take = length - length % SPAN;
    if (skip + length <= 2 * BLOCK) {
      take = min32(BLOCK - skip, length);
      output_block(n, at / BLOCK, skip, take, out);
    } else if (skip == 0 && take) {
      output_spans(n, at / BLOCK, take / SPAN, out);
    } else {
      take = min32(SPAN - skip, length);
      output_part(n, at / BLOCK, skip, take, out);
    }
    at += take, out += take, length -= take;
  }
}

#else

NOINLINE void output(const node *n, u64 at, u32 length, u8 *out) {
  while (length) {
    u32 skip = at % BLOCK, take = min32(BLOCK - skip, length);
    output_block(n, at / BLOCK, skip, take, out);
    at += take, out += take, length -= take;
  }
}

#endif
