// Half a round of BLAKE2 or BLAKE3 over lanes. V8 12 and later run instructions in the module's order. So the additions
// to a are done for four Gs in turn, the other steps for two, which spills less in Firefox (bench/NOTES.md).
#pragma once
#include "g.h"
#include "offsets.h"

INLINE vector word_at(const vector m[16], u8 offset) { return *(const vector *)((const u8 *)m + offset); }
#define PLUS_AT(a, i) ((a) + word_at(m, offsets[i]))
#define B_PLUS_A(a, b) ((b) + (a))

// `offsets` are those of this half-round's eight words.
INLINE void half_round(vector v[16], const vector m[16], const u8 offsets[8], int turn) {
  const int columns = 4;
  GS(0, 4, 2, PLUS_AT, B_PLUS_A, rotr_vector, KEEP_ORDER)
}
