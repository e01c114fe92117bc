// A round of BLAKE or BLAKE2 over the state's rows a, b, c and d, four words each, in vectors. Row b stays where it is and the
// others turn around it, so the diagonals' words begin with the last one. The including file defines
//   WORD, ROTATE_1 .. ROTATE_4   a word, and the rotations of G
#pragma once
#include "g.h"

// Where a round's words lie in the message, in bytes: for the first and the second half of the columns' G, then of the
// diagonals'.
#define ROW_OFFSETS(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15) \
  {                                                                                       \
    FOUR_OFFSETS(s0, s2, s4, s6), FOUR_OFFSETS(s1, s3, s5, s7),                           \
        FOUR_OFFSETS(s14, s8, s10, s12), FOUR_OFFSETS(s15, s9, s11, s13)                  \
  }
#define FOUR_OFFSETS(i, j, k, l) i * sizeof(WORD), j * sizeof(WORD), k * sizeof(WORD), l * sizeof(WORD)

// The words are those of ROW_OFFSETS, four by four.
#define ROUND_OF_ROWS(words_0, words_1, words_2, words_3)                    \
  G(a, b, c, d, words_0, words_1)                                            \
  a = turn(a, 3, 0, 1, 2), c = turn(c, 1, 2, 3, 0), d = turn(d, 2, 3, 0, 1); \
  G(a, b, c, d, words_2, words_3)                                            \
  a = turn(a, 1, 2, 3, 0), c = turn(c, 3, 0, 1, 2), d = turn(d, 2, 3, 0, 1);
