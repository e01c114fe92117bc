// Runs of inputs, eight or four at a time if there are lanes.
#pragma once
#include "compress.h"
#ifdef SIMD
#include "../chain.h"
#include "compress-lanes.h"
#include "compress-rows.h"
#endif

INLINE void hash_one(const run *r, const u8 *input, u32 blocks, u8 *out) {
  u32 flags = blocks == r->blocks ? r->flags : r->flags & ~LAST(0xff);
  compress_chain(r->key, (cv_word *)out, input, blocks, r->counter, BLOCK, flags);
}

#ifdef SIMD

// Groups of four inputs, one in each lane.
typedef struct {
  u32x4 first;  // flags of each lane's first block
  u32x4 last;   // and of its last one,
  u32x4 length; // which has this many bytes
  const u8 *inputs[4];
  u8 *outs[4];        // where the results go
  const cv_word *key; // what all start with; none if each continues from the chaining value at its place in `outs`
  u32 stride;         // bytes from one input to the next
  u64 counter;
  u32 step;   // as in a run
  u32 blocks; // to compress in each lane
  u32 flags;  // as in a run
  u32 groups; // of four
} lane_run;

// Where each lane's bytes are; unused lanes repeat the first.
SMALL void spread(const u8 *to[4], const void *from, u32 stride, u32 lanes) {
  for (u32 lane = 0; lane < 4; lane++) to[lane] = (const u8 *)from + (lane < lanes ? lane * stride : 0);
}

// Bytes to store for each lane: a chaining value, or the whole output of a compression from the same one, the `key`.
enum { NARROW = CV, WIDE = BLOCK };

// The counters of four adjacent inputs, in two halves.
typedef struct {
  u32x4 low, high;
} counters;

// A true comparison is -1 in its lane, which subtracted is the carry.
INLINE counters add_to_counters(counters t, u32x4 count) {
  u32x4 low = t.low + count;
  return (counters){low, t.high - (u32x4)(low < t.low)};
}

INLINE counters next_counters(counters t, u32 step) { return add_to_counters(t, splat(4 * step)); }

INLINE counters first_counters(const lane_run *c) {
  counters t = {splat((u32)c->counter), splat((u32)(c->counter >> 32))};
  return add_to_counters(t, splat(c->step) * (u32x4){0, 1, 2, 3});
}

// Loads in a fixed order: identical code compresses better.
INLINE void load_in_order(u32x4 v[4], const u8 *const from[4], u32 offset) {
  UNROLLED
  for (int lane = 0; lane < 4; lane++) {
    v[lane] = load_u32x4(from[lane] + offset);
    v[lane] = in_order_of_lanes(v[lane]);
  }
  transpose_u32x4(v);
  UNROLLED
  for (int lane = 0; lane < 4; lane++) v[lane] = in_order_of_lanes(v[lane]);
}

LOADED_APART void load_message(u32x4 m[16], const u8 *const from[4], u32 offset) {
  for (int i = 0; i < 16; i += 4) load_in_order(m + i, from, offset + 4 * i);
}

INLINE void load_cvs(u32x4 v[8], const lane_run *c) {
  if (c->key) {
    for (int i = 0; i < 8; i++) v[i] = splat(c->key[i]);
    return;
  }
  load_in_order(v, (const u8 *const *)c->outs, 0);
  load_in_order(v + 4, (const u8 *const *)c->outs, 16);
}

// Stores the first lane last: unused lanes write to its place.
INLINE void store_in_order(u32x4 v[4], u8 *const outs[4], u32 offset) {
  transpose_u32x4(v);
  UNROLLED
  for (int lane = 0; lane < 4; lane++) v[lane] = in_order_of_lanes(v[lane]);
  for (int lane = 3; lane >= 0; lane--) store_u32x4(outs[lane] + offset, v[lane]);
}

// Chaining values or whole outputs, `offset` bytes after each lane's place.
INLINE void store_states(const lane_run *c, u32x4 v[16], u8 *const outs[4], u32 offset, u32 width) {
  if (width == WIDE) {
    for (int i = 0; i < 8; i++) v[8 + i] ^= splat(c->key[i]);
    for (int i = 8; i < 16; i += 4) store_in_order(v + i, outs, offset + 4 * i);
  }
  for (int i = 0; i < 8; i += 4) store_in_order(v + i, outs, offset + 4 * i);
}

INLINE void require_lanes(const lane_run *c, u32 width) {
  require(c->key || c->groups == 1); // the chaining values at `outs` are those of one group
  for (int lane = 0; lane < 4; lane++) {
    require_area(c->inputs[lane], (c->groups - 1) * 4 * c->stride + c->blocks * BLOCK);
    require_area(c->outs[lane], (c->groups - 1) * 4 * width + width);
  }
}

// The most groups of a run that are computed one by one. Two in turn are slower where a vector operation takes one
// cycle, by up to a quarter on Zen 3, whose cache of decoded instructions is too small for them (bench/NOTES.md); as
// loops they are not.
#if ROUNDS_IN_LOOP
#define most_alone() 1
#else
#define most_alone() (vector_latency() == 1 ? ~0u : 1)
#endif

// Two groups at a time as long as there are two, or one.
static NOINLINE void hash_lanes(const lane_run *c, u32 width) {
  require_lanes(c, width);
  const u8 *input[8];
  u8 *out[4];
  for (int lane = 0; lane < 4; lane++) input[lane] = c->inputs[lane], out[lane] = c->outs[lane];
  u32x4 v[2][16], m[2][16];
  masks masks = masks_in_locals();
  counters t = first_counters(c);
  u32 groups = c->groups, alone = most_alone();
  for (;;) {
    u32 two = groups > alone;
    counters next = next_counters(t, c->step);
    load_cvs(v[0], c);
    for (int i = 0; i < 8; i++) v[1][i] = v[0][i];
    for (int lane = 0; lane < 4; lane++) input[4 + lane] = input[lane] + 4 * c->stride;
    for (u32 block = 0; block < c->blocks; block++) {
      v[0][12] = t.low, v[0][13] = t.high, v[0][14] = splat(BLOCK), v[0][15] = splat(c->flags);
      if (block == 0) v[0][15] |= c->first;
      if (block + 1 == c->blocks) v[0][14] = c->length, v[0][15] |= c->last;
      load_message(m[0], input, block * BLOCK);
      if (two) {
        v[1][12] = next.low, v[1][13] = next.high, v[1][14] = v[0][14], v[1][15] = v[0][15];
        load_message(m[1], input + 4, block * BLOCK);
        compress_eight(v, m, masks);
      } else {
        compress_lanes(v[0], m[0]);
      }
    }
    store_states(c, v[0], out, 0, width);
    if (two) store_states(c, v[1], out, 4 * width, width);
    u32 done = 1 + two;
    groups -= done;
    if (groups == 0) break;
    t = next_counters(t, done * c->step);
    for (int lane = 0; lane < 4; lane++) input[lane] += done * 4 * c->stride, out[lane] += done * 4 * width;
  }
  if (ROUNDS_IN_LOOP) wipe(m, sizeof m);
}

// A run's inputs in the lanes, from block `begin` of each on: `groups` times four, or `lanes` of one group.
SMALL void set_lanes(lane_run *c, const run *r, const u8 *input, u32 begin, u32 groups, u32 lanes, u8 *out, u32 width) {
  *c = (lane_run){
      .first = splat(begin ? 0 : r->flags >> 8 & 0xff),
      .last = splat(r->flags >> 16),
      .length = splat(BLOCK),
      .key = begin ? 0 : r->key,
      .stride = r->blocks * BLOCK,
      .counter = r->counter,
      .step = r->step,
      .blocks = r->blocks - begin,
      .flags = r->flags & 0xff,
      .groups = groups,
  };
  spread(c->inputs, input + begin * BLOCK, c->stride, lanes);
  spread((const u8 **)c->outs, out, width, lanes);
}

// The last one to three inputs of a run, and `tail` blocks of the input after them.
SMALL void hash_last(const run *r, const u8 *input, u32 count, u32 tail, u8 *out) {
  lane_run c;
  set_lanes(&c, r, input, 0, 1, tail ? count + 1 : count, out, NARROW);
  if (tail) c.blocks = tail, c.last = splat(0);
  hash_lanes(&c, NARROW);
  if (!tail) return;
  if (count == 1) {
    cv_word *cv = (cv_word *)out;
    compress_blocks(cv, input + tail * BLOCK, r->blocks - tail, r->counter, BLOCK, r->flags & ~FIRST(0xff));
    return;
  }
  set_lanes(&c, r, input, tail, 1, count, out, NARROW);
  hash_lanes(&c, NARROW);
}

#endif

NOINLINE void hash_run(run *r, const u8 *input, u32 count, u32 tail, u8 *out) {
  require_area(input, (count * r->blocks + tail) * BLOCK), require_area(out, (count + !!tail) * CV);
#ifdef SIMD
  u32 groups = count / 4;
  if (groups) {
    lane_run c;
    set_lanes(&c, r, input, 0, groups, 4, out, NARROW);
    hash_lanes(&c, NARROW);
    r->counter += 4 * groups * r->step, input += 4 * groups * r->blocks * BLOCK, out += 4 * groups * CV;
    count %= 4;
  }
  if (count > 1 || (count && tail)) {
    hash_last(r, input, count, tail, out);
    return;
  }
#endif
  for (; count; count--, r->counter += r->step, input += r->blocks * BLOCK, out += CV) hash_one(r, input, r->blocks, out);
  if (tail) hash_one(r, input, tail, out);
}
