// BLAKE2s: 32-bit words, 10 rounds, 64-byte blocks, digests of 1 to 32 bytes; BLAKE2sp: eight leaves; BLAKE2Xs.
#include "blake2s-word.h"

#define LANES LANES32
#define VECTOR u32x4
#define SPLAT splat_u32x4
#define LOAD_VECTOR load_u32x4
#define STORE_VECTOR store_u32x4
#define TRANSPOSE(r) transpose_u32x4(&(r)[0], &(r)[1], &(r)[2], &(r)[3])

#define LEAVES 8
// The offset of the parameter block's fields after the node offset (BLAKE2 paper section 2.8), and the XOF length.
#define NODE_DEPTH 14
#define XOF_LENGTH(block) (load32((const u8 *)(block) + 12) & 0xffff)
#define XOF_UNKNOWN 0xffff

#include "exports.h"
