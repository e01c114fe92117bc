// The word, rotations and constants of BLAKE-224 and BLAKE-256: 32-bit words, 14 rounds, 64-byte blocks, a 16-byte salt.
#pragma once
#include "../words.h"

#define WORD u32
#define ROW u32x4
#define LOAD load32
#define STORE store32
#define LOAD_ROW load_u32x4
#define STORE_ROW store_u32x4
#define GATHER_ROW gather_u32x4
#define ROUNDS 14
#define ROTATE_2 rotr12
#define ROTATE_4 rotr7
#ifdef SIMD
#define MASK_1 U32X4_ROTR16
#define MASK_3 U32X4_ROTR8
#define ROTATE_1(x) ((u32x4)swizzle(x, mask_1))
#define ROTATE_3(x) ((u32x4)swizzle(x, mask_3))
#else
#define ROTATE_1 rotr16
#define ROTATE_3 rotr8
#endif
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
