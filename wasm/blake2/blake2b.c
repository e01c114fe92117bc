// BLAKE2b: 64-bit words, 12 rounds, 128-byte blocks, digests of 1 to 64 bytes; BLAKE2bp: four leaves; BLAKE2Xb.
#include "blake2b-word.h"

#define LANES LANES64
#define VECTOR u64x2
#define SPLAT splat_u64x2
#define LOAD_VECTOR load_u64x2
#define STORE_VECTOR store_u64x2
#define TRANSPOSE(r) transpose_u64x2(&(r)[0], &(r)[1])

#define LEAVES 4
// The offset of the parameter block's fields after the node offset (BLAKE2 paper section 2.8), and the XOF length.
#define NODE_DEPTH 16
#define XOF_LENGTH(block) load32((const u8 *)(block) + 12)
#define XOF_UNKNOWN 0xffffffff

#include "exports.h"
