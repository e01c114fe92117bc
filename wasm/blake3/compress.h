// The BLAKE3 compression function (BLAKE3 paper section 2.2), over three shapes of its state:
//   scalars  one block, 16 words: the baseline build's compress_block()
//   rows     one block, the four rows of the state in four vectors: the simd128 build's compress_block()
//   lanes    four blocks of four messages, each in a lane of 16 vectors: compress_lanes()
// For one message the modes call compress_blocks(), or compress_blocks_and_wipe(), in either build.
#pragma once
#include "../rounds/g.h"
#include "../rounds/scalar-round.h"
#include "tree.h"

#define ROTATE_2 rotr12
#define ROTATE_4 rotr7

static const u32 IV[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

// The flags of block `i` of `blocks` adjacent ones, of which the first and the last have some of their own.
INLINE u32 block_flags(u32 flags, u32 first, u32 last, u32 i, u32 blocks) {
  return flags | (i == 0 ? first : 0) | (i + 1 == blocks ? last : 0);
}

#ifdef JAVASCRIPT
#include "compress-javascript.h"
#elif !defined __wasm_simd128__

#define ROTATE_1 rotr16
#define ROTATE_3 rotr8

// The message permutation (paper, table 2).
INLINE void permute(u32 m[16]) {
  static const u8 places[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
  u32 permuted[16];
  for (int i = 0; i < 16; i++) permuted[i] = m[places[i]];
  for (int i = 0; i < 16; i++) m[i] = permuted[i];
}

// out[0..7] is the chaining value; out[8..15] are the other words of an extendable output. The rounds are a loop, because only
// engines without SIMD use this: written out they are 1.35 times as fast, and 1.1 kB more of every bundle, gzipped.
NOINLINE void compress_block(const cv_word cv[8], const u8 *block, u64 counter, u32 length, u32 flags, u32 out[16]) {
  u32 m[16], v[16];
  for (int i = 0; i < 16; i++) m[i] = load32(block + 4 * i);
  for (int i = 0; i < 8; i++) v[i] = cv[i];
  for (int i = 0; i < 4; i++) v[8 + i] = IV[i];
  v[12] = (u32)counter, v[13] = (u32)(counter >> 32), v[14] = length, v[15] = flags;
#pragma clang loop unroll(disable)
  for (int round = 0;; round++) {
    SCALAR_ROUND(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], m[12], m[13], m[14], m[15])
    if (round == 6) break;
    permute(m);
  }
  for (int i = 0; i < 8; i++) {
    out[i + 8] = v[i + 8] ^ cv[i];
    out[i] = v[i] ^ v[i + 8];
  }
}

NOT_INLINED void compress_blocks_by(
    manner manner, cv_word cv[8], u8 *input, u32 blocks, u64 counter, u32 length, u32 flags, u32 first, u32 last) {
  u32 out[16];
  require_area(input, blocks * BLOCK), require_area(cv, manner == WIDENING ? 64 : 32);
  for (u32 i = 0; i < blocks; i++, input += BLOCK) {
    u32 bytes = i + 1 < blocks ? BLOCK : length;
    compress_block(cv, input, counter, bytes, block_flags(flags, first, last, i, blocks), out);
    copy(cv, out, manner == WIDENING ? 64 : 32);
    if (manner == WIPING) wipe(input, BLOCK);
  }
  wipe(out, sizeof out);
}

#else

#define ROTATE_1(x) ((u32x4)swizzle(x, k->by_16))
#define ROTATE_3(x) ((u32x4)swizzle(x, k->by_8))

typedef struct {
  v128_t by_16, by_8;
  u32x4 iv;
} row_constants;

INLINE row_constants hoist_row_constants(void) {
  HOIST(v128_t, by_16, U32X4_ROTR16);
  HOIST(v128_t, by_8, U32X4_ROTR8);
  HOIST(u32x4, iv, load_u32x4(IV));
  return (row_constants){by_16, by_8, iv};
}

// The message as a round over rows needs it: for the columns the even and the odd words of 0 to 7, for the diagonals those of 8
// to 15, rotated by one, because row b stays in place and rows a, c and d rotate around it.
typedef struct {
  u32x4 column_x, column_y, diagonal_x, diagonal_y;
} row_message;

INLINE row_message load_rows(const u8 *block) {
  u32x4 w0 = load_u32x4(block), w1 = load_u32x4(block + 16);
  u32x4 w2 = load_u32x4(block + 32), w3 = load_u32x4(block + 48);
  u32x4 even = shuffle_u32x4(w2, w3, 0, 2, 4, 6), odd = shuffle_u32x4(w2, w3, 1, 3, 5, 7);
  return (row_message){
      shuffle_u32x4(w0, w1, 0, 2, 4, 6),
      shuffle_u32x4(w0, w1, 1, 3, 5, 7),
      shuffle_u32x4(even, even, 3, 0, 1, 2),
      shuffle_u32x4(odd, odd, 3, 0, 1, 2),
  };
}

// The permutation between rounds, on words placed (0 2 4 6) (1 3 5 7) (14 8 10 12) (15 9 11 13).
INLINE row_message permute_rows(row_message m) {
  u32x4 x = m.column_x, y = m.column_y, dx = m.diagonal_x, dy = m.diagonal_y;
  u32x4 t0 = shuffle_u32x4(x, y, 1, 2, 5, 7);   // 2 4 3 7
  u32x4 t1 = shuffle_u32x4(x, dx, 3, 0, 6, 6);  // 6 0 10 10
  u32x4 t2 = shuffle_u32x4(dx, dy, 3, 3, 5, 5); // 12 12 9 9
  u32x4 t3 = shuffle_u32x4(dy, y, 0, 4, 1, 5);  // 15 1 9 3
  u32x4 t4 = shuffle_u32x4(dx, dy, 1, 0, 6, 6); // 8 14 11 11
  u32x4 t5 = shuffle_u32x4(t1, t1, 0, 2, 1, 3); // 6 10 0 10
  u32x4 t6 = shuffle_u32x4(t4, t4, 0, 2, 3, 1); // 8 11 11 14
  return (row_message){
      shuffle_u32x4(t0, t0, 0, 2, 3, 1), // 2 3 7 4
      shuffle_u32x4(t5, dy, 0, 1, 2, 7), // 6 10 0 13
      shuffle_u32x4(t3, t2, 0, 1, 4, 6), // 15 1 12 9
      shuffle_u32x4(t6, y, 0, 1, 6, 3),  // 8 11 5 14
  };
}

// A chaining value, and the two rows that the rest of an output block comes from.
typedef struct {
  u32x4 a, b, c, d;
} cv_rows;

// Seven rounds in a loop: the rows and the message are eight vectors, so nothing spills and the code is small.
INLINE cv_rows compress_block(const row_constants *k, cv_rows cv, const u8 *block, u64 counter, u32 length, u32 flags) {
  u32x4 a = cv.a, b = cv.b, c = k->iv, d = {(u32)counter, (u32)(counter >> 32), length, flags};
  row_message m = load_rows(block);
  for (int round = 0;; round++) {
    G(a, b, c, d, m.column_x, m.column_y)
    a = shuffle_u32x4(a, a, 3, 0, 1, 2), c = shuffle_u32x4(c, c, 1, 2, 3, 0), d = shuffle_u32x4(d, d, 2, 3, 0, 1);
    G(a, b, c, d, m.diagonal_x, m.diagonal_y)
    a = shuffle_u32x4(a, a, 1, 2, 3, 0), c = shuffle_u32x4(c, c, 3, 0, 1, 2), d = shuffle_u32x4(d, d, 2, 3, 0, 1);
    if (round == 6) break;
    m = permute_rows(m);
  }
  return (cv_rows){a ^ c, b ^ d, c, d};
}

NOT_INLINED void compress_blocks_by(
    manner manner, cv_word cv[8], u8 *input, u32 blocks, u64 counter, u32 length, u32 flags, u32 first, u32 last) {
  require_area(input, blocks * BLOCK), require_area(cv, manner == WIDENING ? 64 : 32);
  row_constants k = hoist_row_constants();
  cv_rows v = {load_u32x4(cv), load_u32x4(cv + 4), k.iv, k.iv};
  for (u32 i = 0; i < blocks; i++, input += BLOCK) {
    u32 bytes = i + 1 < blocks ? BLOCK : length;
    v = compress_block(&k, v, input, counter, bytes, block_flags(flags, first, last, i, blocks));
    if (manner == WIPING) wipe(input, BLOCK);
  }
  if (manner == WIDENING) store_u32x4(cv + 8, v.c ^ load_u32x4(cv)), store_u32x4(cv + 12, v.d ^ load_u32x4(cv + 4));
  store_u32x4(cv, v.a), store_u32x4(cv + 4, v.b);
}

// Lanes rotate by masks of their own.
#undef ROTATE_1
#undef ROTATE_3
#define VECTOR u32x4
#define ROTATE_1 rotr16
#define ROTATE_3 rotr8
#include "../rounds/lane-half-round.h"

// The message permutation (paper, table 2), applied 0 to 6 times.
static const u8 SCHEDULE[7][16] = {
    OFFSETS(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    OFFSETS(2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8),
    OFFSETS(3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1),
    OFFSETS(10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6),
    OFFSETS(12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4),
    OFFSETS(9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7),
    OFFSETS(11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13),
};

// Four blocks, one in each lane. v[0..7] are the chaining values and v[12..15] the counters, lengths and flags. Afterwards v is
// the output, but that the chaining values are not XORed into its second half. The rounds are written out, so that the
// schedule's indices are constants and all words are locals.
INLINE void compress_lanes(u32x4 v[16], const u32x4 m[16]) {
  for (int i = 0; i < 4; i++) v[8 + i] = splat_u32x4(IV[i]);
  ROUND_BY_ROUND
  for (int round = 0; round < 7; round++) {
    half_round(v, m, SCHEDULE[round], 0);
    half_round(v, m, SCHEDULE[round] + 8, 1);
  }
  for (int i = 0; i < 8; i++) v[i] ^= v[i + 8];
}

#endif
