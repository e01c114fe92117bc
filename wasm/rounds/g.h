// The mixing function G for rows, and for BLAKE3's JavaScript, where x and y are the words to add. The other shapes have a G
// of their own. The including file defines
//   ROTATE_1 .. ROTATE_4     its rotations
#pragma once

// b is known last, so it is added last: everything else is ready by then.
#define G(a, b, c, d, x, y) \
  a = pin(a + (x)) + b;     \
  d = ROTATE_1(d ^ a);      \
  c += d;                   \
  b = ROTATE_2(b ^ c);      \
  a = pin(a + (y)) + b;     \
  d = ROTATE_3(d ^ a);      \
  c += d;                   \
  b = ROTATE_4(b ^ c);
