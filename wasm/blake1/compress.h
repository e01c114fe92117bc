// The compression function of BLAKE (BLAKE paper sections 2.1.2 and 2.2.2), over scalars in the baseline build and over rows
// in the simd128 build. The including file chooses the word:
//   WORD      u32 for BLAKE-224 and -256, u64 for BLAKE-384 and -512
//   ROUNDS    14 or 16
//   ROTATE_1 .. ROTATE_4   the rotations of G
//   LOAD, STORE            a word in memory
//   C_0 .. C_15            the constants: digits of pi
//   ROW, LOAD_ROW, STORE_ROW, GATHER_ROW   four words in vectors (simd128)
//   MASK_1, MASK_3         the masks of the rotations 1 and 3, if they are swizzles by mask_1 and mask_3 (simd128)
#pragma once
#include "../memory.h"
#include "../rounds/row-offsets.h"
#include "../rounds/scalar-round.h"
#include "../rounds/sigma.h"

#define BLOCK (16 * sizeof(WORD))

// The chaining value, and the salt that goes into every block.
typedef struct {
  WORD h[8];
  WORD salt[4];
} salted_chain;

// Message bits up to the end of a block; 0 for a block that holds none of them.
typedef struct {
  WORD low, high;
} counter;

INLINE counter next(counter t) {
  WORD low = t.low + 8 * BLOCK;
  return (counter){low, t.high + (low < 8 * BLOCK)};
}

static const WORD C[16] = {C_0, C_1, C_2, C_3, C_4, C_5, C_6, C_7, C_8, C_9, C_10, C_11, C_12, C_13, C_14, C_15};

// A round's words as offsets in bytes.
#define ROUND(...) ROW_OFFSETS(__VA_ARGS__),
static const u8 SCHEDULE[10][16] = {TEN_ROUNDS};

#ifndef __wasm_simd128__

// Reads or writes four big-endian words.
NOINLINE void swap_row(void *to, const void *from) {
#pragma clang loop unroll(disable)
  for (u32 i = 0; i < 4 * sizeof(WORD); i += sizeof(WORD)) STORE((u8 *)to + i, swap(LOAD((const u8 *)from + i)));
}

// The schedule chooses a constant as well as a word, so G takes their places in it.
#define G(a, b, c, d, s, t)                               \
  a += b + (WORD_AT(m, round[s]) ^ WORD_AT(C, round[t])); \
  d = ROTATE_1(d ^ a);                                    \
  c += d;                                                 \
  b = ROTATE_2(b ^ c);                                    \
  a += b + (WORD_AT(m, round[t]) ^ WORD_AT(C, round[s])); \
  d = ROTATE_3(d ^ a);                                    \
  c += d;                                                 \
  b = ROTATE_4(b ^ c);
#define WORD_AT(words, offset) (*(const WORD *)((const u8 *)(words) + (offset)))

// The rounds are a loop, because only engines without SIMD use this.
INLINE void compress_block(salted_chain *s, const WORD m[16], counter t) {
  WORD v[16];
  for (int i = 0; i < 8; i++) v[i] = s->h[i], v[i + 8] = C[i];
  for (int i = 0; i < 4; i++) v[8 + i] ^= s->salt[i];
  v[12] ^= t.low, v[13] ^= t.low, v[14] ^= t.high, v[15] ^= t.high;
#pragma clang loop unroll(disable)
  for (u32 i = 0; i < ROUNDS; i++) {
    const u8 *round = SCHEDULE[i < 10 ? i : i - 10];
    SCALAR_ROUND(ROW_PLACES)
  }
  for (int i = 0; i < 8; i++) s->h[i] ^= s->salt[i % 4] ^ v[i] ^ v[i + 8];
}

// `t` is the first block's counter.
NOINLINE void compress_blocks(salted_chain *s, const u8 *blocks, u32 count, counter t) {
  WORD m[16];
  require_area(blocks, count * BLOCK);
  for (; count; count--, blocks += BLOCK, t = next(t)) {
    for (int i = 0; i < 16; i += 4) swap_row(m + i, blocks + i * sizeof(WORD));
    compress_block(s, m, t);
  }
  wipe(m, BLOCK);
}

#else

// Reads or writes four big-endian words, as one row: stored word by word, the row loaded from them would have to wait.
INLINE void swap_row(void *to, const void *from) { STORE_ROW(to, swap(LOAD_ROW(from))); }

#include "../rounds/row-round.h"

// The constants of a round in the order of its words, made at first use: as data they would be half of a bundle's kernel.
typedef struct {
  WORD constants[16];
  u8 words[16];
} round_data;

static round_data ROUND_DATA[10];

// What is added with a word is the constant of the word in the other half of G.
SMALL void make_round_data(void) {
  for (int i = 0; i < 160; i++) {
    round_data *round = &ROUND_DATA[i / 16];
    round->words[i % 16] = ((const u8 *)SCHEDULE)[i];
    round->constants[i % 16] = *(const WORD *)((const u8 *)C + ((const u8 *)SCHEDULE)[i ^ 4]);
  }
}

INLINE ROW four_words(const WORD m[16], const round_data *round, int quarter) {
  return GATHER_ROW((const u8 *)m, &round->words[4 * quarter]) ^ LOAD_ROW(&round->constants[4 * quarter]);
}

#define FULL_ROUND(r) ROW_ROUND(four_words(m, r, 0), four_words(m, r, 1), four_words(m, r, 2), four_words(m, r, 3))

// The latency of G bounds a half-round over rows, whatever its words cost: so they are gathered from memory, and the rounds are
// a loop, two at a time (bench/NOTES.md). `t` is the first block's counter.
NOINLINE void compress_blocks(salted_chain *s, const u8 *blocks, u32 count, counter t) {
  require_area(blocks, count * BLOCK);
  if (!ROUND_DATA[0].constants[0]) make_round_data();
  ROW h0 = LOAD_ROW(s->h), h1 = LOAD_ROW(s->h + 4), salt = LOAD_ROW(s->salt);
  WORD m[16];
#ifdef MASK_1
  HOIST(v128_t, mask_1, MASK_1);
#endif
  HOIST(v128_t, mask_3, MASK_3);
  for (; count; count--, blocks += BLOCK, t = next(t)) {
    for (int i = 0; i < 16; i += 4) swap_row(m + i, blocks + i * sizeof(WORD));
    ROW a = h0, b = h1;
    ROW c = salt ^ (ROW) { C_0, C_1, C_2, C_3 }, d = (ROW){t.low, t.low, t.high, t.high} ^ (ROW) { C_4, C_5, C_6, C_7 };
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < ROUNDS; i += 2) {
      const round_data *round = &ROUND_DATA[i < 10 ? i : i - 10];
      FULL_ROUND(round)
      FULL_ROUND(round + 1)
    }
    h0 ^= salt ^ a ^ c;
    h1 ^= salt ^ b ^ d;
  }
  STORE_ROW(s->h, h0), STORE_ROW(s->h + 4, h1);
  wipe(m, BLOCK);
}

#endif
