// The compression function of BLAKE2 (RFC 7693 section 3.2), as the modes call it, and its constants: WORD is 64 for
// BLAKE2b, 32 for BLAKE2s. compress-scalars.c has F of section 3.2, ../rounds.h its rounds and G, compress-lanes.h the
// same over several messages.
#pragma once
#include "../memory.h"

#define BLOCK (16 * sizeof(word))

// The IV is that of SHA-512 or SHA-256 (section 2.6).
#if WORD == 64
enum { ROUNDS = 12, R1 = 32, R2 = 24, R3 = 16, R4 = 63 };
static const word IV[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};
#else
enum { ROUNDS = 10, R1 = 16, R2 = 12, R3 = 8, R4 = 7 };
static const word IV[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};
#endif

// The IV in memory: as constants in the code, it would differ between the two builds.
INLINE const word *iv_in_memory(void) { return INLINE_BLOCK ? IV : opaque(&IV[0]); }

// What is XORed into v[12..15] for a block: the two words of the byte counter, which does not count the block yet, and
// the two finalization flags.
typedef struct {
  word t0, t1, f0, f1;
} position;

INLINE position count_block(position p) {
  p.t0 += BLOCK;
  p.t1 += p.t0 < BLOCK;
  return p;
}

// Compresses `count` blocks of one message, `stride` bytes from one to the next, into its chaining value. A position is
// passed word by word: as a struct it would go through memory.
void compress_scalars(word h[8], const u8 *blocks, u32 stride, u32 count, word t0, word t1, word f0, word f1);

INLINE void compress_strided(word h[8], const u8 *blocks, u32 stride, u32 count, position p) {
  if (count) require_area(blocks, (count - 1) * stride + BLOCK);
  compress_scalars(h, blocks, stride, count, p.t0, p.t1, p.f0, p.f1);
}

// The same for adjacent blocks.
INLINE void compress_blocks(word h[8], const u8 *blocks, u32 count, position p) {
  compress_strided(h, blocks, BLOCK, count, p);
}
