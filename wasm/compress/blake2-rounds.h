// The rounds of BLAKE2 (RFC 7693 sections 3.1 and 3.2), over scalars or lanes alike. blake2b.h and blake2s.h say for which
// word:
//   WORD      u64 for BLAKE2b, u32 for BLAKE2s
//   ROUNDS    12 or 10
//   ROTATE_1 .. ROTATE_4   the rotations of G (RFC 7693 section 2.1)
//   LOAD      reads a word of the message
// and the including file how the message's word comes into a sum:
//   ADD(a, word)
//
// Every round is written out, so that the schedule's indices are constants and all 32 words are locals. One G follows
// the other: with the four of a half-round interleaved, V8 spills so much that BLAKE2s falls from 670 to 470 MB/s.
#pragma once
#include "sigma.h"

#define BLOCK (16 * sizeof(WORD))

static const WORD IV[8] = {IV_WORDS};

// A message word is added before b, which comes last out of the step before: BLAKE2bp 1600 MB/s instead of 1450. The
// scalars subtract the word's negative instead, ADD() says: V8 subtracts straight from a spilled word, where for a sum it
// loads it first. That takes a tenth of the instructions, and with the order of `fast` scheduling (build.mjs) BLAKE2b goes
// from 1105 to 1162 MB/s on Node 20 and from 859 to 909 on Node 26, BLAKE2s from 650 to 682 and from 503 to 532.
#define G(a, b, c, d, x, y)       \
  a = pin_one(ADD(a, m[x])) + b;  \
  d = ROTATE_1(d ^ a);       \
  c += d;                    \
  b = ROTATE_2(b ^ c);       \
  a = pin_one(ADD(a, m[y])) + b;  \
  d = ROTATE_3(d ^ a);       \
  c += d;                    \
  b = ROTATE_4(b ^ c);

// One round over the 16 words of v and m, scalars or lanes alike, under one row of the schedule.
#define ROUND(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15) \
  G(v[0], v[4], v[8], v[12], s0, s1)                                                \
  G(v[1], v[5], v[9], v[13], s2, s3)                                                \
  G(v[2], v[6], v[10], v[14], s4, s5)                                               \
  G(v[3], v[7], v[11], v[15], s6, s7)                                               \
  G(v[0], v[5], v[10], v[15], s8, s9)                                               \
  G(v[1], v[6], v[11], v[12], s10, s11)                                             \
  G(v[2], v[7], v[8], v[13], s12, s13)                                              \
  G(v[3], v[4], v[9], v[14], s14, s15)

#define TEN_ROUNDS ROUND_0 ROUND_1 ROUND_2 ROUND_3 ROUND_4 ROUND_5 ROUND_6 ROUND_7 ROUND_8 ROUND_9
#if ROUNDS == 12
#define ALL_ROUNDS TEN_ROUNDS ROUND_0 ROUND_1
#else
#define ALL_ROUNDS TEN_ROUNDS
#endif

// The two words of the byte counter and the two finalization flags, as XORed into v[12..15].
typedef struct {
  WORD t0, t1, f0, f1;
} position;

// One block into the chaining value of one message: compress/blake2b.c or blake2s.c.
void compress_words(WORD h[8], const u8 *block, WORD t0, WORD t1, WORD f0, WORD f1);

INLINE void compress(WORD h[8], const u8 *block, position p) { compress_words(h, block, p.t0, p.t1, p.f0, p.f1); }
