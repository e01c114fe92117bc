// The compression function of BLAKE2 for blocks of one message, over scalars. They are near the best everywhere, while
// rows (the state of one message in four vectors) are half as fast where a vector operation takes two cycles
// (bench/NOTES.md). Compiled apart from the lanes, with its instructions in the order of the source (build.mjs).
#include "compress.h"
#include "../rounds.h"

PER_BLOCK void compress_block(word h[8], const u8 *block, word t0, word t1, word f0, word f1) {
  const word *iv = iv_in_memory();
  scalar v[16], words[16];
  for (int i = 0; i < 8; i++) v[i] = load_scalar(&h[i]), v[i + 8] = load_scalar(&iv[i]);
  v[12] = exor(v[12], scalar_of(t0)), v[13] = exor(v[13], scalar_of(t1));
  v[14] = exor(v[14], scalar_of(f0)), v[15] = exor(v[15], scalar_of(f1));
  rounds_of_scalars(v, message_of(block, words), ROUNDS, SIGMA, 10);
  for (int i = 0; i < 8; i++) store_scalar(&h[i], exor(exor(v[i], v[i + 8]), load_scalar(&h[i])));
}

void compress_scalars(word h[8], const u8 *blocks, u32 stride, u32 count, word t0, word t1, word f0, word f1) {
  u8 copied[BLOCK] ALIGNED;
  word locals[8], *chain = INLINE_BLOCK ? locals : h;
  if (INLINE_BLOCK) copy_words(locals, h, 8);
  for (; count; count--, blocks += stride) {
    position p = count_block((position){t0, t1, f0, f1});
    compress_block(chain, aligned_block(blocks, copied), t0 = p.t0, t1 = p.t1, f0, f1);
  }
  if (INLINE_BLOCK) copy_words(h, locals, 8);
  if (unaligned(blocks)) wipe(copied, BLOCK);
}
