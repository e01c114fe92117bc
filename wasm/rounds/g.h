// The mixing function G of BLAKE, BLAKE2 and BLAKE3, over words or vectors of them, with x and y as what is added. b is known
// last, and comes last: nothing else may wait behind it. The including file defines
//   ROTATE_1 .. ROTATE_4   its rotations
#pragma once

#define G(a, b, c, d, x, y) \
  a = pin(a + (x)) + b;     \
  d = ROTATE_1(d ^ a);      \
  c += d;                   \
  b = ROTATE_2(b ^ c);      \
  a = pin(a + (y)) + b;     \
  d = ROTATE_3(d ^ a);      \
  c += d;                   \
  b = ROTATE_4(b ^ c);
