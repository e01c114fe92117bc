// A round of BLAKE or BLAKE2 over rows: a, b, c and d are the four rows of the state, four words each, in vectors. Row b stays
// in place and the others rotate around it, so the words of the diagonals start with the last one. The including file defines
//   ROTATE_1 .. ROTATE_4     the rotations of G
#pragma once
#include "g.h"
#include "row-offsets.h"

// The arguments are the words at ROW_OFFSETS, four by four.
#define ROW_ROUND(words_0, words_1, words_2, words_3)                                 \
  G(a, b, c, d, words_0, words_1)                                                     \
  a = reorder(a, 3, 0, 1, 2), c = reorder(c, 1, 2, 3, 0), d = reorder(d, 2, 3, 0, 1); \
  G(a, b, c, d, words_2, words_3)                                                     \
  a = reorder(a, 1, 2, 3, 0), c = reorder(c, 3, 0, 1, 2), d = reorder(d, 2, 3, 0, 1);
