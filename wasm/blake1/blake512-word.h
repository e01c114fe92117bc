// The word, rotations and constants of BLAKE-384 and BLAKE-512: 64-bit words, 16 rounds, 128-byte blocks, a 32-byte
// salt.
#pragma once
#include "../words/u64.h"

#define ROUNDS 16
#define R2 25
#define R4 11
// The first 1024 bits of the fractional part of pi.
#define C_0 0x243f6a8885a308d3u
#define C_1 0x13198a2e03707344u
#define C_2 0xa4093822299f31d0u
#define C_3 0x082efa98ec4e6c89u
#define C_4 0x452821e638d01377u
#define C_5 0xbe5466cf34e90c6cu
#define C_6 0xc0ac29b7c97c50ddu
#define C_7 0x3f84d5b5b5470917u
#define C_8 0x9216d5d98979fb1bu
#define C_9 0xd1310ba698dfb5acu
#define C_10 0x2ffd72dbd01adfb7u
#define C_11 0xb8e1afed6a267e96u
#define C_12 0xba7c9045f12c7f99u
#define C_13 0x24a19947b3916cf7u
#define C_14 0x0801f2e2858efc16u
#define C_15 0x636920d871574e69u
