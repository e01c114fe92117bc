// A round over scalars: eight Gs, two side by side, whose steps take turns in this very order. Engines keep it, and while a step
// of one G waits for the step before, there is one of the other to run (bench/NOTES.md). The including file defines
//   ROTATE_1 .. ROTATE_4     the rotations of G
//   PLUS_WORD(a, x)          the sum of a and the message's word at place x of the schedule
// and has the state in v.
#pragma once

#define IN_TURN(word, value, other_word, other_value) \
  word = value;                                       \
  __asm__ volatile("" : "+r"(word));                  \
  other_word = other_value;                           \
  __asm__ volatile("" : "+r"(other_word));

// b is known last, so it is added last.
#define TWO_GS(a, b, c, d, x, y, A, B, C, D, X, Y) \
  IN_TURN(a, PLUS_WORD(a, x), A, PLUS_WORD(A, X))  \
  IN_TURN(a, a + b, A, A + B)                      \
  IN_TURN(d, ROTATE_1(d ^ a), D, ROTATE_1(D ^ A))  \
  IN_TURN(c, c + d, C, C + D)                      \
  IN_TURN(b, ROTATE_2(b ^ c), B, ROTATE_2(B ^ C))  \
  IN_TURN(a, PLUS_WORD(a, y), A, PLUS_WORD(A, Y))  \
  IN_TURN(a, a + b, A, A + B)                      \
  IN_TURN(d, ROTATE_3(d ^ a), D, ROTATE_3(D ^ A))  \
  IN_TURN(c, c + d, C, C + D)                      \
  IN_TURN(b, ROTATE_4(b ^ c), B, ROTATE_4(B ^ C))

#define SCALAR_ROUND(...) FOUR_PAIRS(__VA_ARGS__)
#define FOUR_PAIRS(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15) \
  TWO_GS(v[0], v[4], v[8], v[12], s0, s1, v[1], v[5], v[9], v[13], s2, s3)               \
  TWO_GS(v[2], v[6], v[10], v[14], s4, s5, v[3], v[7], v[11], v[15], s6, s7)             \
  TWO_GS(v[0], v[5], v[10], v[15], s8, s9, v[1], v[6], v[11], v[12], s10, s11)           \
  TWO_GS(v[2], v[7], v[8], v[13], s12, s13, v[3], v[4], v[9], v[14], s14, s15)
