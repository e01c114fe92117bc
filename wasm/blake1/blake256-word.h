// The word, rotations and constants of BLAKE-224 and BLAKE-256: 32-bit words, 14 rounds, 64-byte blocks, a 16-byte
// salt.
#pragma once
#include "../words/u32.h"

#define ROUNDS 14
// The first 512 bits of the fractional part of pi.
#define C_0 0x243f6a88u
#define C_1 0x85a308d3u
#define C_2 0x13198a2eu
#define C_3 0x03707344u
#define C_4 0xa4093822u
#define C_5 0x299f31d0u
#define C_6 0x082efa98u
#define C_7 0xec4e6c89u
#define C_8 0x452821e6u
#define C_9 0x38d01377u
#define C_10 0xbe5466cfu
#define C_11 0x34e90c6cu
#define C_12 0xc0ac29b7u
#define C_13 0xc97c50ddu
#define C_14 0x3f84d5b5u
#define C_15 0xb5470917u
