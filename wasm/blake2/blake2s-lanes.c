// BLAKE2sp (eight leaves), BLAKE2Xs, and many messages of BLAKE2s: the modes that compress several blocks of BLAKE2s at
// once.
#include "blake2s-word.h"

#define LEAVES 8
// The length of the output, in the parameter block (BLAKE2X paper section 2).
#define XOF_LENGTH(block) (load32((const u8 *)(block) + 12) & 0xffff)
#define XOF_UNKNOWN 0xffff

#include "lane-exports.h"
#ifdef SIMD
#include "many.h"
#endif
