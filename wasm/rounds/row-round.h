// A round of BLAKE or BLAKE2 over rows: a, b, c and d are the four rows of the state, four words each, in vectors. Row b stays
// in place and the others rotate around it, so the words of the diagonals start with the last one. The including file defines
//   WORD                     a word
//   ROTATE_1 .. ROTATE_4     the rotations of G
#pragma once
#include "g.h"

// The offsets in bytes of a round's message words: for the first and second half of G on the columns, then on the diagonals.
#define ROW_OFFSETS(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15)        \
  {                                                                                              \
    FOUR_OFFSETS(s0, s2, s4, s6), FOUR_OFFSETS(s1, s3, s5, s7), FOUR_OFFSETS(s14, s8, s10, s12), \
        FOUR_OFFSETS(s15, s9, s11, s13)                                                          \
  }
#define FOUR_OFFSETS(i, j, k, l) i * sizeof(WORD), j * sizeof(WORD), k * sizeof(WORD), l * sizeof(WORD)

// The arguments are the words at ROW_OFFSETS, four by four.
#define ROW_ROUND(words_0, words_1, words_2, words_3)                                 \
  G(a, b, c, d, words_0, words_1)                                                     \
  a = reorder(a, 3, 0, 1, 2), c = reorder(c, 1, 2, 3, 0), d = reorder(d, 2, 3, 0, 1); \
  G(a, b, c, d, words_2, words_3)                                                     \
  a = reorder(a, 1, 2, 3, 0), c = reorder(c, 3, 0, 1, 2), d = reorder(d, 2, 3, 0, 1);
