// BLAKE2s: 32-bit words, 10 rounds, 64-byte blocks, digests of 1 to 32 bytes; BLAKE2sp: eight leaves; BLAKE2Xs.
#include "lanes.h"

#define WORD u32
#define LOAD load32
#define ROUNDS 10
#define ROTATE_1 rotr16
#define ROTATE_2 rotr12
#define ROTATE_3 rotr8
#define ROTATE_4 rotr7
#define T0(t) ((u32)(t))
#define T1(t) ((u32)((t) >> 32))
// The first 32 bits of the fractional parts of the square roots of the first eight primes, as in SHA-256.
#define IV_WORDS 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19

#define LANES LANES32
#define VECTOR u32x4
#define SPLAT splat_u32x4
#define LOAD_VECTOR load_u32x4
#define STORE_VECTOR store_u32x4
#define TRANSPOSE(r) transpose_u32x4(&(r)[0], &(r)[1], &(r)[2], &(r)[3])

#define LEAVES 8
// Where the parameter block has its fields behind the node offset (BLAKE2 paper section 2.8), and the XOF length.
#define NODE_DEPTH 14
#define XOF_LENGTH(block) (load32((const u8 *)(block) + 12) & 0xffff)
#define XOF_UNKNOWN 0xffff

#include "blake2-exports.h"
