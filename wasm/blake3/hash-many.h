// hash_many(): inputs of equal size, eight or four at a time if there are lanes.
#pragma once
#include "compress.h"
#ifdef SIMD
#include "../latency.h"
#include "compress-lanes.h"
#include "compress-rows.h"

// Groups of four inputs, one in each lane.
typedef struct {
  u32x4 first;  // flags of each lane's first block
  u32x4 last;   // and of its last one,
  u32x4 length; // which has this many bytes
  const u8 *inputs[4];
  u8 *outs[4];        // where the results go: chaining values, or the whole output of a compression from the `key`
  const cv_word *key; // what all start with; none if each continues from the chaining value at its place in `outs`
  u32 stride;         // bytes from one input to the next
  u64 counter;
  u32 step;   // added to the counter from one input to the next
  u32 blocks; // to compress in each lane
  u32 flags;  // of all blocks
  u32 groups; // of four
} lanes;

// The counters of four adjacent inputs, in two halves.
typedef struct {
  u32x4 low, high;
} counters;

// A true comparison is -1 in its lane, which subtracted is the carry.
INLINE counters add_to_counters(counters t, u32x4 count) {
  u32x4 low = t.low + count;
  return (counters){low, t.high - (u32x4)(low < t.low)};
}

INLINE counters first_counters(const lanes *l) {
  counters t = {splat((u32)l->counter), splat((u32)(l->counter >> 32))};
  return add_to_counters(t, splat(l->step) * (u32x4){0, 1, 2, 3});
}

// Loads in a fixed order: identical code compresses better.
INLINE void load_in_order(u32x4 v[4], const u8 *const from[4], u32 offset) {
  UNROLLED
  for (int lane = 0; lane < 4; lane++) v[lane] = in_order_of_lanes(load_u32x4(from[lane] + offset));
  transpose_u32x4(v);
  UNROLLED
  for (int lane = 0; lane < 4; lane++) v[lane] = in_order_of_lanes(v[lane]);
}

LOADED_APART void load_message(u32x4 m[16], const u8 *const from[4], u32 offset) {
  for (int i = 0; i < 16; i += 4) load_in_order(m + i, from, offset + 4 * i);
}

INLINE void load_cvs(u32x4 v[8], const lanes *l) {
  if (l->key) {
    for (int i = 0; i < 8; i++) v[i] = splat(l->key[i]);
    return;
  }
  load_in_order(v, (const u8 *const *)l->outs, 0);
  load_in_order(v + 4, (const u8 *const *)l->outs, 16);
}

// Stores the first lane last: unused lanes write to its place.
INLINE void store_in_order(u32x4 v[4], u8 *const outs[4], u32 offset) {
  transpose_u32x4(v);
  UNROLLED
  for (int lane = 0; lane < 4; lane++) v[lane] = in_order_of_lanes(v[lane]);
  for (int lane = 3; lane >= 0; lane--) store_u32x4(outs[lane] + offset, v[lane]);
}

// Chaining values or whole outputs, `offset` bytes after each lane's place.
INLINE void store_states(const lanes *l, u32x4 v[16], u8 *const outs[4], u32 offset, bool wide) {
  if (wide) {
    for (int i = 0; i < 8; i++) v[8 + i] ^= splat(l->key[i]);
    for (int i = 8; i < 16; i += 4) store_in_order(v + i, outs, offset + 4 * i);
  }
  for (int i = 0; i < 8; i += 4) store_in_order(v + i, outs, offset + 4 * i);
}

// Two groups at a time as long as there are two, or one. Two in turn are slower where a vector operation takes one cycle,
// by up to a quarter on Zen 3, whose cache of decoded instructions is too small for them (bench/NOTES.md); as loops they
// are not.
static NOINLINE void hash_lanes(const lanes *l, bool wide) {
  const u8 *input[8];
  u8 *out[4];
  u32 size = wide ? BLOCK : CV, alone = !ROUNDS_IN_LOOP && vector_latency() == 1 ? ~0u : 1;
  require(l->key || l->groups == 1); // the chaining values at `outs` are those of one group
  for (int lane = 0; lane < 4; lane++) {
    input[lane] = l->inputs[lane], out[lane] = l->outs[lane];
    require_area(input[lane], (l->groups - 1) * 4 * l->stride + l->blocks * BLOCK);
    require_area(out[lane], (l->groups * 4 - 3) * size);
  }
  u32x4 v[2][16], m[2][16];
  masks masks = masks_in_locals();
  counters t = first_counters(l);
  u32 groups = l->groups;
  for (;;) {
    u32 two = groups > alone;
    counters next = add_to_counters(t, splat(4 * l->step));
    load_cvs(v[0], l);
    for (int i = 0; i < 8; i++) v[1][i] = v[0][i];
    for (int lane = 0; lane < 4; lane++) input[4 + lane] = input[lane] + 4 * l->stride;
    for (u32 block = 0; block < l->blocks; block++) {
      v[0][12] = t.low, v[0][13] = t.high, v[0][14] = splat(BLOCK), v[0][15] = splat(l->flags);
      if (block == 0) v[0][15] |= l->first;
      if (block + 1 == l->blocks) v[0][14] = l->length, v[0][15] |= l->last;
      load_message(m[0], input, block * BLOCK);
      if (two) {
        v[1][12] = next.low, v[1][13] = next.high, v[1][14] = v[0][14], v[1][15] = v[0][15];
        load_message(m[1], input + 4, block * BLOCK);
        compress_eight(v, m, masks);
      } else {
        compress_lanes(v[0], m[0]);
      }
    }
    store_states(l, v[0], out, 0, wide);
    if (two) store_states(l, v[1], out, 4 * size, wide);
    u32 done = 1 + two;
    groups -= done;
    if (groups == 0) break;
    t = add_to_counters(t, splat(4 * done * l->step));
    for (int lane = 0; lane < 4; lane++) input[lane] += done * 4 * l->stride, out[lane] += done * 4 * size;
  }
  if (ROUNDS_IN_LOOP) wipe(m, sizeof m);
}

// Where the first group's bytes are, and its results; unused lanes repeat the first.
SMALL void place_lanes(lanes *l, const u8 *input, u32 count, u8 *out, u32 size) {
  for (u32 lane = 0; lane < 4; lane++) {
    u32 place = lane < count ? lane : 0;
    l->inputs[lane] = input + place * l->stride, l->outs[lane] = out + place * size;
  }
}

#endif

NOINLINE void hash_many(
    const u8 *input, u32 count, u32 blocks, const cv_word key[8], u64 counter, bool increment_counter, u32 flags,
    u32 flags_start, u32 flags_end, u8 *out) {
  require_area(input, count * blocks * BLOCK), require_area(out, count * CV);
  u32 size = blocks * BLOCK;
#ifdef SIMD
  lanes l = {.first = splat(flags_start), .last = splat(flags_end), .length = splat(BLOCK), .key = key};
  l.stride = size, l.step = increment_counter, l.blocks = blocks, l.flags = flags;
  while (count > 1) {
    u32 done = count < 4 ? count : count / 4 * 4;
    l.groups = (done + 3) / 4, l.counter = counter;
    place_lanes(&l, input, done, out, CV);
    hash_lanes(&l, false);
    counter += done * increment_counter, input += done * size, out += done * CV, count -= done;
  }
#endif
  for (; count; count--, counter += increment_counter, input += size, out += CV) {
    compress_blocks(key, (cv_word *)out, input, blocks, counter, BLOCK, flags, flags_start, flags_end, false);
  }
}
