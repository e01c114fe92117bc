// BLAKE2b's word, rotations and IV (RFC 7693 sections 2.1 and 2.6).
//
// Start here to read the compression function: compress-scalars.h has F of RFC 7693 section 3.2, rounds/scalars.h its
// rounds, rounds/sigma.h their schedule, rounds/g.h the G of section 3.1. compress-lanes.h is the same over lanes of
// several messages.
#pragma once
#include "../words/u64.h"

#define ROUNDS 12
#define R2 24
#define R4 63
#define T0(t) ((u64)(t))
#define T1(t) ((u64)((t) >> 64))
// The first 64 bits of the fractional parts of the square roots of the first eight primes, as in SHA-512.
#define IV_WORDS                                                                                                          \
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f, \
      0x1f83d9abfb41bd6b, 0x5be0cd19137e2179
// The offset of the node depth in the parameter block (BLAKE2 paper section 2.8).
#define NODE_DEPTH 16
