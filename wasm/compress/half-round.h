// Half a round of BLAKE2 or BLAKE3 over lanes: four Gs abreast, on the columns (turn 0) or the diagonals (turn 1) of v.
// Each step is done for all four before the next one, in the order that is written here: engines that keep a module's
// order (V8 from 12 on) have enough to do then while a step waits for its operands. One G after the other, as clang would
// have it, BLAKE3 falls from 2310 to 2050 MB/s on Node 26; two and two abreast 2160; each a step behind the one before
// 2270. Bundles become smaller too, by 0.3 kB gzipped: all half-rounds are alike. The including file defines
//   VECTOR                   a word of each lane's chain
//   ROTATE_1 .. ROTATE_4     the rotations of G
#pragma once

#define FOUR(word, value)        \
  UNROLLED                       \
  for (int i = 0; i < 4; i++) {  \
    word = value;                \
    KEEP_ORDER(word);            \
  }

#define A v[i]
#define B v[4 + (i + turn) % 4]
#define C v[8 + (i + 2 * turn) % 4]
#define D v[12 + (i + 3 * turn) % 4]

// `words` are the places in m of this half-round's eight words. One is added before b, which is known last.
INLINE void half_round(VECTOR v[16], const VECTOR m[16], const u8 words[8], int turn) {
  FOUR(A, A + m[words[2 * i]])
  FOUR(A, B + A)
  FOUR(D, ROTATE_1(D ^ A))
  FOUR(C, C + D)
  FOUR(B, ROTATE_2(B ^ C))
  FOUR(A, A + m[words[2 * i + 1]])
  FOUR(A, B + A)
  FOUR(D, ROTATE_3(D ^ A))
  FOUR(C, C + D)
  FOUR(B, ROTATE_4(B ^ C))
}

#undef A
#undef B
#undef C
#undef D
