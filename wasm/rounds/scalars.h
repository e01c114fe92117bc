// The rounds of BLAKE2 or BLAKE3 over scalars: two Gs side by side, whose steps take turns in this very order. Engines
// keep it: while a step of one G waits for the step before, there is one of the other to run (bench/NOTES.md). Engines
// without a compiler have no use for that.
#pragma once
#include "g.h"
#include "offsets.h"

#ifdef JAVASCRIPT
#define ABREAST 1
#define KEEP(x)
#else
#define ABREAST 2
#define KEEP(x) __asm__ volatile("" : "+r"(x))
#endif

#ifdef ROUNDS_IN_LOOP

#define BY_ROUND _Pragma("clang loop unroll(disable)")
typedef const u8 *message;
#define NEGATED(x) (x)
#define PLUS_WORD(a, i) add(a, message_word(m + offsets[i]))
INLINE message words_of(const u8 *block, scalar words[16]) { return (void)words, block; }

#else

// Written out, so that the offsets are constants and all 32 words are locals. Those of the message are negated and
// subtracted: V8 subtracts a spilled word from memory, but loads it before an addition, which is 10 % more
// instructions.
#define BY_ROUND UNROLLED
typedef const scalar *message;
#ifdef JAVASCRIPT
#define NEGATED(x) (x)
#define PLUS_WORD(a, i) add(a, m[offsets[i] / sizeof(word)])
#else
#define NEGATED(x) pin_scalar(-(x))
#define PLUS_WORD(a, i) (a - m[offsets[i] / sizeof(word)])
INLINE scalar pin_scalar(scalar x) {
  __asm__("" : "+r"(x));
  return x;
}
#endif
INLINE message words_of(const u8 *block, scalar words[16]) {
  for (int i = 0; i < 16; i++) words[i] = NEGATED(message_word(block + i * sizeof(word)));
  return words;
}

#endif

INLINE scalar in_order(scalar x) {
  KEEP(x);
  return x;
}

INLINE void half_round(scalar v[16], message m, const u8 offsets[8], int turn) {
  UNROLLED
  for (int g = 0; g < 4; g += ABREAST) {
    UNROLLED
    for (int half = 0; half < 2; half++) {
      EACH_G(g, ABREAST) A = in_order(PLUS_WORD(A, 2 * i + half));
      EACH_G(g, ABREAST) A = in_order(add(A, B));
      EACH_G(g, ABREAST) D = in_order(rotr(exor(D, A), TO_D(half)));
      EACH_G(g, ABREAST) C = in_order(add(C, D));
      EACH_G(g, ABREAST) B = in_order(rotr(exor(B, C), TO_B(half)));
    }
  }
}

// `schedule` has `rows` rows of offsets.
INLINE void all_rounds(scalar v[16], message m, u32 rounds, const u8 schedule[][16], u32 rows) {
  BY_ROUND
  for (u32 round = 0; round < rounds; round += ROUNDS_AT_A_TIME) {
    UNROLLED
    for (u32 i = 0; i < ROUNDS_AT_A_TIME; i++) {
      half_round(v, m, schedule[round % rows + i], 0);
      half_round(v, m, schedule[round % rows + i] + 8, 1);
    }
  }
}
