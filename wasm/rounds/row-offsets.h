// A row of the schedule as data, in the order in which a round over rows needs its words. Loops over scalars use the same data,
// so that the two builds of a kernel have it in common. The including file defines WORD.
#pragma once

// The offsets in bytes of a round's message words: for the first and second half of G on the columns, then on the diagonals.
#define ROW_OFFSETS(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15)        \
  {                                                                                              \
    FOUR_OFFSETS(s0, s2, s4, s6), FOUR_OFFSETS(s1, s3, s5, s7), FOUR_OFFSETS(s14, s8, s10, s12), \
        FOUR_OFFSETS(s15, s9, s11, s13)                                                          \
  }
#define FOUR_OFFSETS(i, j, k, l) i * sizeof(WORD), j * sizeof(WORD), k * sizeof(WORD), l * sizeof(WORD)

// The places of s0 to s15 in there: the arguments of a SCALAR_ROUND.
#define ROW_PLACES 0, 4, 1, 5, 2, 6, 3, 7, 9, 13, 10, 14, 11, 15, 8, 12
