// BLAKE2s's word, rotations and IV (RFC 7693 sections 2.1 and 2.6). blake2b-word.h says where to start reading.
#pragma once
#include "../words/u32.h"

#define ROUNDS 10
#define T0(t) ((u32)(t))
#define T1(t) ((u32)((t) >> 32))
// The first 32 bits of the fractional parts of the square roots of the first eight primes, as in SHA-256.
#define IV_WORDS 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
// The offset of the node depth in the parameter block (BLAKE2 paper section 2.8).
#define NODE_DEPTH 14
