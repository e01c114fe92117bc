// BLAKE2b: 64-bit words, 12 rounds, 128-byte blocks, digests of 1 to 64 bytes; BLAKE2bp: four leaves; BLAKE2Xb.
#include "lanes.h"

#define WORD u64
#define LOAD load64
#define ROUNDS 12
#define ROTATE_1 rotr32
#define ROTATE_2 rotr24
#define ROTATE_3 rotr16
#define ROTATE_4 rotr63
#define T0(t) ((u64)(t))
#define T1(t) ((u64)((t) >> 64))
// The first 64 bits of the fractional parts of the square roots of the first eight primes, as in SHA-512.
#define IV_WORDS                                                                                    \
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1, 0x510e527fade682d1, \
      0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179

#define LANES LANES64
#define VECTOR u64x2
#define SPLAT splat_u64x2
#define LOAD_VECTOR load_u64x2
#define STORE_VECTOR store_u64x2
#define TRANSPOSE(r) transpose_u64x2(&(r)[0], &(r)[1])

#define LEAVES 4
// Where the parameter block has its fields behind the node offset (BLAKE2 paper section 2.8), and the XOF length.
#define NODE_DEPTH 16
#define XOF_LENGTH(block) load32((const u8 *)(block) + 12)
#define XOF_UNKNOWN 0xffffffff

#include "blake2-exports.h"
