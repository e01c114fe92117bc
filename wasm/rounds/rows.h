// Half a round over rows: G on the four columns of one message's state at once, or on its diagonals. v has its rows; x
// and y are the words for the first and the second half of G.
#pragma once
#include "g.h"

#define PLUS_ROW(a, half) pin((a) + ((half) ? y : x))
#define ROTATE_ROW(x, count) rotr_row(x, count, masks)
#define ANY_ORDER(x)

// Row b stays in place and the others rotate, so the words of the diagonals start with the last one.
INLINE void half_round_of_rows(row v[4], row x, row y, int turn, masks masks) {
  const int columns = 1;
  if (turn) v[0] = reorder(v[0], 3, 0, 1, 2), v[2] = reorder(v[2], 1, 2, 3, 0), v[3] = reorder(v[3], 2, 3, 0, 1);
  GS(0, 1, 1, PLUS_ROW, add, ROTATE_ROW, ANY_ORDER)
  if (turn) v[0] = reorder(v[0], 1, 2, 3, 0), v[2] = reorder(v[2], 3, 0, 1, 2), v[3] = reorder(v[3], 2, 3, 0, 1);
}
