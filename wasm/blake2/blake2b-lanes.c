// BLAKE2bp (four leaves) and BLAKE2Xb: the modes that compress several blocks of BLAKE2b at once.
#include "blake2b-word.h"

#define LEAVES 4
// The length of the output, in the parameter block (BLAKE2X paper section 2).
#define XOF_LENGTH(block) load32((const u8 *)(block) + 12)
#define XOF_UNKNOWN 0xffffffff

#include "lane-exports.h"
