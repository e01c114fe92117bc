// BLAKE3's compression function (BLAKE3 paper section 2.2) for blocks of one message, over scalars, for the reasons in
// blake2/compress-scalars.h. rounds.h has its constants, rounds/g.h its G.
#include "rounds.h"

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

#ifndef ROWS
#define compress_scalars compress_chain // there is nothing to choose
#endif

NOINLINE void compress_scalars(
    const cv_word from[8], cv_word cv[8], const u8 *input, u32 blocks, u64 counter, u32 length, u32 flags) {
  u8 copied[BLOCK] ALIGNED;
  u32 locals[8];
  cv_word *to = INLINE_BLOCK ? locals : cv;
  if (INLINE_BLOCK) {
    for (int i = 0; i < 8; i++) locals[i] = from[i];
    from = locals;
  }
  require_area(input, blocks * BLOCK), require_area(cv, flags & WIDENING ? 64 : 32);
  for (; blocks; blocks--, input += BLOCK, from = to, flags &= ~FIRST(0xff)) {
    const u8 *block = aligned_block(input, copied);
    u32 v[16], m[16], is_last = blocks == 1;
    load_block(m, block);
    if (flags & WIPING) wipe((u8 *)input, BLOCK);
    for (int i = 0; i < 8; i++) v[i] = from[i];
    for (int i = 0; i < 4; i++) v[8 + i] = IV[i];
    v[12] = (u32)counter, v[13] = (u32)(counter >> 32), v[14] = is_last ? length : BLOCK;
    v[15] = flags_of(flags, is_last);
    v[15] = in_order(v[15]); // hides that its upper bytes are 0, for which LLVM would rotate it by two shifts
    seven_rounds(v, m);
    if (flags & WIDENING) {
      for (int i = 0; i < 8; i++) cv[8 + i] = v[8 + i] ^ from[i];
    }
    for (int i = 0; i < 8; i++) to[i] = v[i] ^ v[i + 8];
  }
  if (INLINE_BLOCK) {
    for (int i = 0; i < 8; i++) cv[i] = locals[i];
  }
  if (unaligned(input)) wipe(copied, BLOCK);
}

#ifdef ROWS
// A separate function: the choice inside compress_scalars() would cost Bun 5 %.
NOINLINE void compress_chain(
    const cv_word from[8], cv_word cv[8], const u8 *input, u32 blocks, u64 counter, u32 length, u32 flags) {
  if (vector_latency() == 1) compress_rows(from, cv, input, blocks, counter, length, flags);
  else compress_scalars(from, cv, input, blocks, counter, length, flags);
}
#endif
