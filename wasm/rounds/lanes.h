// Half a round of BLAKE2 or BLAKE3 over lanes. V8 12 and later run instructions in the module's order. So the additions
// to a are done for four Gs in turn, the other steps for two, which spills less in Firefox (bench/NOTES.md).
#pragma once
#include "g.h"
#include "offsets.h"

INLINE vector word_at(const vector m[16], u8 offset) { return *(const vector *)((const u8 *)m + offset); }

INLINE vector in_order(vector x) {
  KEEP_ORDER(x);
  return x;
}

// `offsets` are those of the half-round's eight words.
INLINE void half_g(vector v[16], const vector m[16], const u8 offsets[8], int half, int turn, int to_d, int to_b) {
  EACH_G(0, 4) A = in_order(A + word_at(m, offsets[2 * i + half]));
  EACH_G(0, 4) A = in_order(B + A); // b is known last, so it is added last
  UNROLLED
  for (int pair = 0; pair < 4; pair += 2) {
    EACH_G(pair, 2) D = in_order(rotr_vector(D ^ A, to_d));
    EACH_G(pair, 2) C = in_order(C + D);
    EACH_G(pair, 2) B = in_order(rotr_vector(B ^ C, to_b));
  }
}

INLINE void half_round(vector v[16], const vector m[16], const u8 offsets[8], int turn) {
  half_g(v, m, offsets, 0, turn, R1, R2);
  half_g(v, m, offsets, 1, turn, R3, R4);
}
