// The mixing function G of BLAKE, BLAKE2 and BLAKE3 (RFC 7693 section 3.1) has two halves, which differ in a word of the
// message and in two rotations:
//
//   a += b + word;  d = rotr(d ^ a, to_d);  c += d;  b = rotr(b ^ c, to_b)
//
// Each shape writes them out in the order that suits it, since Gs side by side are independent work while one waits for
// its operands: `EACH_G(first, count)` is a step of so many Gs in turn. A to D are the words of the i-th G, on the
// columns of the state v (turn 0) or on its diagonals (turn 1).
#pragma once

#define EACH_G(first, count) \
  UNROLLED                   \
  for (int i = (first); i < (first) + (count); i++)
#define A v[i]
#define B v[4 + (i + turn) % 4]
#define C v[8 + (i + 2 * turn) % 4]
#define D v[12 + (i + 3 * turn) % 4]

// The rotations of a half: R1 and R2, or R3 and R4.
#define TO_D(half) ((half) ? R3 : R1)
#define TO_B(half) ((half) ? R4 : R2)
