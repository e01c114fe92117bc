// Half a round over rows: G on the four columns of one message's state at once, or on its diagonals. v has its rows; x
// and y are the words for the first and the second half of G.
#pragma once

INLINE void half_g_of_rows(row v[4], row words, int to_d, int to_b, masks masks) {
  v[0] = pin(v[0] + words) + v[1];
  v[3] = rotr_row(v[3] ^ v[0], to_d, masks);
  v[2] += v[3];
  v[1] = rotr_row(v[1] ^ v[2], to_b, masks);
}

// Row b stays in place and the others rotate, so the words of the diagonals start with the last one.
INLINE void diagonalize(row v[4]) {
  v[0] = reorder(v[0], 3, 0, 1, 2), v[2] = reorder(v[2], 1, 2, 3, 0), v[3] = reorder(v[3], 2, 3, 0, 1);
}
INLINE void undiagonalize(row v[4]) {
  v[0] = reorder(v[0], 1, 2, 3, 0), v[2] = reorder(v[2], 3, 0, 1, 2), v[3] = reorder(v[3], 2, 3, 0, 1);
}

INLINE void half_round_of_rows(row v[4], row x, row y, int turn, masks masks) {
  if (turn) diagonalize(v);
  half_g_of_rows(v, x, R1, R2, masks);
  half_g_of_rows(v, y, R3, R4, masks);
  if (turn) undiagonalize(v);
}
