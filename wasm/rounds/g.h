// The mixing function G of BLAKE, BLAKE2 and BLAKE3 (RFC 7693 section 3.1), for all shapes: `count` Gs side by side, of
// those that mix the columns of the state v (turn 0) or its diagonals (turn 1), from number `first` on. The caller has
// v, turn and `columns`: how many elements each of v's four rows has.
//
// Gs side by side are independent work while one waits for its operands. The additions to a are done for all of them in
// turn, the other steps for `others` of them. The rest of the arguments are macros or functions:
//   PLUS(a, i)     adds the i-th word of this half-round
//   PLUS_B(a, b)   b is known last, so it is added last
//   ROTATE(x, n)
//   KEEP(x)        nothing, or what keeps the order of the steps
#pragma once

#define GS(first, count, others, PLUS, PLUS_B, ROTATE, KEEP)           \
  HALF_GS(first, count, others, PLUS, 0, PLUS_B, ROTATE, R1, R2, KEEP) \
  HALF_GS(first, count, others, PLUS, 1, PLUS_B, ROTATE, R3, R4, KEEP)

#define HALF_GS(first, count, others, PLUS, half, PLUS_B, ROTATE, R_D, R_B, KEEP) \
  STEP(first, count, A, PLUS(A, 2 * i + half), KEEP)                              \
  STEP(first, count, A, PLUS_B(A, B), KEEP)                                       \
  UNROLLED                                                                        \
  for (int pair = first; pair < (first) + (count); pair += others) {              \
    STEP(pair, others, D, ROTATE(exor(D, A), R_D), KEEP)                          \
    STEP(pair, others, C, add(C, D), KEEP)                                        \
    STEP(pair, others, B, ROTATE(exor(B, C), R_B), KEEP)                          \
  }

#define STEP(first, count, word, value, KEEP)       \
  UNROLLED                                          \
  for (int i = first; i < (first) + (count); i++) { \
    word = value;                                   \
    KEEP(word);                                     \
  }

// The words of the i-th G.
#define A v[i]
#define B v[columns + (i + turn) % columns]
#define C v[2 * columns + (i + 2 * turn) % columns]
#define D v[3 * columns + (i + 3 * turn) % columns]
