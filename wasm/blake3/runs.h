// Runs of equal-sized BLAKE3 inputs: chunks, or parents (chunks of one block), four at a time where there are lanes.
#pragma once
#include "compress.h"

#define CV 32 // bytes in a chaining value
#define CHUNK 1024
#define CHUNK_BLOCKS (CHUNK / BLOCK)

// The mode's flags 16, 32 and 64 come from the caller.
enum { CHUNK_START = 1, CHUNK_END = 2, PARENT = 4, ROOT_NODE = 8 };

// A call, not the eight loads and stores each time: 0.6 kB less of every bundle, gzipped.
NOINLINE void copy_cv(void *to, const void *from) { copy(to, from, CV); }

typedef struct {
  const u32 *key;
  u64 counter;
  u32 step;   // added to the counter from one input to the next: 1 for chunks, 0 for parents
  u32 blocks; // of 64 bytes in each input
  u32 flags, first, last;
} run;

INLINE void hash_one(const run *r, const u8 *input, u32 blocks, u8 *out) {
  u32 cv[8];
  copy_cv(cv, r->key);
  chain(cv, input, blocks, r->counter, BLOCK, r->flags, r->first, blocks == r->blocks ? r->last : 0);
  copy_cv(out, cv);
  wipe(cv, CV);
}

#if LANES32 == 4

// Chains of blocks, four at a time, one in each lane.
typedef struct {
  u32x4 first;  // flags of each lane's first block
  u32x4 last;   // and of its last one,
  u32x4 length; // which has so many bytes
  const u8 *inputs[4];
  u8 *outs[4];    // where the results go
  const u32 *key; // what all begin with; none where each goes on from the chaining value at its place in `outs`
  u32 stride;     // bytes from one input to the next: where the next group's lie
  u64 counter;
  u32 step;   // as in a run
  u32 blocks; // to take in each lane
  u32 flags;  // as in a run
  u32 groups; // of four
} chains;

// Where each lane's bytes lie; lanes that are not in use repeat the first.
SMALL void spread(const u8 *to[4], const void *from, u32 stride, u32 lanes) {
  for (u32 lane = 0; lane < 4; lane++) to[lane] = (const u8 *)from + (lane < lanes ? lane * stride : 0);
}

// Bytes out of each lane: a chaining value, or, where all begin with the same one, all that a compression gives.
enum { NARROW = CV, WIDE = BLOCK };

// The counters of four inputs in a row, in two halves.
typedef struct {
  u32x4 low, high;
} counters;

INLINE counters first_counters(const chains *c) {
  u64 a = c->counter, b = a + c->step, d = b + c->step, e = d + c->step;
  return (counters){
      {(u32)a, (u32)b, (u32)d, (u32)e},
      {(u32)(a >> 32), (u32)(b >> 32), (u32)(d >> 32), (u32)(e >> 32)},
  };
}

// A comparison that holds is -1 in its lane: the carry.
INLINE counters next_counters(counters t, u32 step) {
  u32x4 low = t.low + splat_u32x4(4 * step);
  return (counters){low, t.high - (u32x4)(low < t.low)};
}

INLINE void load_columns(u32x4 v[4], const u8 *const from[4], u32 offset) {
  for (int lane = 0; lane < 4; lane++) v[lane] = load_u32x4(from[lane] + offset);
  transpose_u32x4(&v[0], &v[1], &v[2], &v[3]);
}

APART_FROM_LOOP void load_message(u32x4 m[16], const u8 *const from[4], u32 offset) {
  for (int i = 0; i < 16; i += 4) load_columns(m + i, from, offset + 4 * i);
}

INLINE void load_cvs(u32x4 v[8], const chains *c) {
  if (!c->key) load_columns(v, (const u8 *const *)c->outs, 0), load_columns(v + 4, (const u8 *const *)c->outs, 16);
  else for (int i = 0; i < 8; i++) v[i] = splat_u32x4(c->key[i]);
}

// The first lane last, over what those that only repeat its input have left in its place.
INLINE void store_columns(u32x4 v[4], u8 *const outs[4], u32 offset) {
  transpose_u32x4(&v[0], &v[1], &v[2], &v[3]);
  for (int lane = 3; lane >= 0; lane--) store_u32x4(outs[lane] + offset, v[lane]);
}

NOINLINE void hash_lanes(const chains *c, u32 width) {
  const u8 *input[4];
  u8 *out[4];
  for (int lane = 0; lane < 4; lane++) input[lane] = c->inputs[lane], out[lane] = c->outs[lane];
  u32x4 v[16], m[16];
  counters t = first_counters(c);
  u32 groups = c->groups;
  for (u32 fresh = 1;; fresh = c->stride) { // the one input of an extendable output is loaded once
    load_cvs(v, c);
    for (u32 block = 0; block < c->blocks; block++) {
      if (fresh) load_message(m, input, block * BLOCK);
      v[12] = t.low, v[13] = t.high, v[14] = splat_u32x4(BLOCK), v[15] = splat_u32x4(c->flags);
      if (block == 0) v[15] |= c->first;
      if (block + 1 == c->blocks) v[14] = c->length, v[15] |= c->last;
      compress_lanes(v, m);
    }
    if (width == WIDE) {
      for (int i = 0; i < 8; i++) v[8 + i] ^= splat_u32x4(c->key[i]);
      for (int i = 8; i < 16; i += 4) store_columns(v + i, out, 4 * i);
    }
    for (int i = 0; i < 8; i += 4) store_columns(v + i, out, 4 * i);
    if (--groups == 0) break;
    t = next_counters(t, c->step);
    for (int lane = 0; lane < 4; lane++) input[lane] += 4 * c->stride, out[lane] += 4 * width;
  }
  wipe_words(m);
}

// A run's inputs in the lanes, from block `begin` of each on: `groups` times four, or as many as `lanes` says.
SMALL void set_chains(chains *c, const run *r, const u8 *input, u32 begin, u32 groups, u32 lanes, u8 *out, u32 width) {
  *c = (chains){
      .first = splat_u32x4(begin ? 0 : r->first),
      .last = splat_u32x4(r->last),
      .length = splat_u32x4(BLOCK),
      .key = begin ? 0 : r->key,
      .stride = r->blocks * BLOCK,
      .counter = r->counter,
      .step = r->step,
      .blocks = r->blocks - begin,
      .flags = r->flags,
      .groups = groups,
  };
  spread(c->inputs, input + begin * BLOCK, c->stride, lanes);
  spread((const u8 **)c->outs, out, width, lanes);
}

// Fewer than four inputs that are left over, and the `tail` blocks that there are of the one after them.
SMALL void hash_left_over(const run *r, const u8 *input, u32 count, u32 tail, u8 *out) {
  chains c;
  set_chains(&c, r, input, 0, 1, tail ? count + 1 : count, out, NARROW);
  if (tail) c.blocks = tail, c.last = splat_u32x4(0);
  hash_lanes(&c, NARROW);
  if (!tail) return;
  if (count == 1) {
    chain((u32 *)out, input + tail * BLOCK, r->blocks - tail, r->counter, BLOCK, r->flags, 0, r->last);
    return;
  }
  set_chains(&c, r, input, tail, 1, count, out, NARROW);
  hash_lanes(&c, NARROW);
}

#endif

// The chaining values of `count` inputs that lie one after the other, then that of the first `tail` blocks of the next,
// if there are any. `out` may be `input`: it is written behind the reading.
NOINLINE void hash_run(run *r, const u8 *input, u32 count, u32 tail, u8 *out) {
#if LANES32 == 4
  u32 groups = count / 4;
  if (groups) {
    chains c;
    set_chains(&c, r, input, 0, groups, 4, out, NARROW);
    hash_lanes(&c, NARROW);
    r->counter += 4 * groups * r->step, input += 4 * groups * r->blocks * BLOCK, out += 4 * groups * CV;
    count %= 4;
  }
  if (count > 1 || (count && tail)) {
    hash_left_over(r, input, count, tail, out);
    return;
  }
#endif
  for (; count; count--, r->counter += r->step, input += r->blocks * BLOCK, out += CV)
    hash_one(r, input, r->blocks, out);
  if (tail) hash_one(r, input, tail, out);
}
