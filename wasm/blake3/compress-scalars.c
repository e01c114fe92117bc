// BLAKE3's compression function for blocks of one message, over scalars, for the reasons in
// blake2/compress-scalars.c.
#include "compress.h"
#include "../rounds.h"

#if ROUNDS_IN_LOOP
INLINE void load_block(u32 m[16], const u8 *block) {
  for (int i = 0; i < 16; i++) m[i] = load_word(block + 4 * i);
}
// The message permutation (BLAKE3 paper, table 2) after each round: a table of words makes the loop a third slower in
// Bun.
INLINE void seven_rounds(u32 v[16], u32 m[16]) {
  u32 permuted[16];
  EACH_ROUND
  for (int round = 0;; round++) {
    round_of_scalars(v, (const u8 *)m, SCHEDULE[0]);
    if (round == 6) break;
    for (int i = 0; i < 16; i++) permuted[i] = m[SCHEDULE[1][i]];
    for (int i = 0; i < 16; i++) m[i] = permuted[i];
  }
}
#else
INLINE void load_block(u32 m[16], const u8 *block) { message_of(block, m); }
INLINE void seven_rounds(u32 v[16], const u32 m[16]) { rounds_of_scalars(v, m, 7, SCHEDULE, 7); }
#endif

// One block: a function of its own has fewer values to keep in registers (1.15 times the speed on Node 20).
PER_BLOCK void compress_block(
    const cv_word from[8], cv_word cv[8], const u8 *block, u64 counter, u32 length, u32 flags, bool wide) {
  u32 v[16], m[16];
  load_block(m, block);
  for (int i = 0; i < 8; i++) v[i] = from[i];
  for (int i = 0; i < 4; i++) v[8 + i] = IV[i];
  v[12] = (u32)counter, v[13] = (u32)(counter >> 32), v[14] = length, v[15] = flags;
  seven_rounds(v, m);
  if (wide) {
    for (int i = 0; i < 8; i++) cv[8 + i] = v[8 + i] ^ from[i];
  }
  for (int i = 0; i < 8; i++) cv[i] = v[i] ^ v[i + 8];
}

#ifndef ROWS
#define compress_scalars compress_blocks // there is nothing to choose
#endif

NOINLINE void compress_scalars(
    const cv_word from[8], cv_word cv[8], const u8 *input, u32 blocks, u64 counter, u32 length, u32 flags, u32 flags_start,
    u32 flags_end, bool wide) {
  u8 copied[BLOCK] ALIGNED;
  cv_word locals[16], *to = INLINE_BLOCK ? locals : cv;
  require_area(input, blocks * BLOCK), require_area(cv, wide ? 64 : 32);
  if (INLINE_BLOCK) {
    for (int i = 0; i < 8; i++) locals[i] = from[i];
    from = locals;
  }
  for (; blocks; blocks--, input += BLOCK, from = to, flags_start = 0) {
    const u8 *block = aligned_block(input, copied);
    bool is_last = blocks == 1;
    u32 own = flags | flags_start | (is_last ? flags_end : 0);
    compress_block(from, to, block, counter, is_last ? length : BLOCK, own, wide);
  }
  if (INLINE_BLOCK) {
    for (int i = 0; i < (wide ? 16 : 8); i++) cv[i] = locals[i];
  }
  if (unaligned(input)) wipe(copied, BLOCK);
}

#ifdef ROWS
// A separate function: the choice inside compress_scalars() would cost Bun 5 %.
NOINLINE void compress_blocks(
    const cv_word from[8], cv_word cv[8], const u8 *input, u32 blocks, u64 counter, u32 length, u32 flags, u32 flags_start,
    u32 flags_end, bool wide) {
  if (vector_latency() == 1) compress_rows(from, cv, input, blocks, counter, length, flags, flags_start, flags_end, wide);
  else compress_scalars(from, cv, input, blocks, counter, length, flags, flags_start, flags_end, wide);
}
#endif
