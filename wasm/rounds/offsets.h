// A row of the schedule as data: where the words of a round are, in bytes.
#pragma once

// Words of a size, in the order of the schedule.
#define OFFSETS(size, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15) \
  { FOUR(size, s0, s1, s2, s3), FOUR(size, s4, s5, s6, s7), FOUR(size, s8, s9, s10, s11), FOUR(size, s12, s13, s14, s15) }
#define FOUR(size, i, j, k, l) (size) * (i), (size) * (j), (size) * (k), (size) * (l)

// In the order in which rows need them: for the first and second half of G on the columns, then on the diagonals, the
// last one first. Loops over scalars use the same data, so that the two builds of a kernel have it in common.
#define ROW_OFFSETS(size, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15) \
  OFFSETS(size, s0, s2, s4, s6, s1, s3, s5, s7, s14, s8, s10, s12, s15, s9, s11, s13)

// Where the i-th word of a half-round is among them.
#define ROW_PLACE(i, turn) (8 * (turn) + 4 * ((i) % 2) + ((i) / 2 + (turn)) % 4)
