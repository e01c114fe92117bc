// The parts of the BLAKE3 compression function (BLAKE3 paper section 2.2) that all shapes share:
//   scalars  one block, 16 words
//   rows     one block, 4 vectors
//   lanes    four blocks, of four messages, chunks, parents or outputs, each in a lane of 16 vectors; or two such groups
//            in turn
// For one message the modes call compress_blocks(), in either build.
#pragma once
#include "compress.h"

enum { R1 = 16, R2 = 12, R3 = 8, R4 = 7 };
#include "../rounds.h"

static const u32 IV[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

// The message permutation, applied 0 to 6 times: the schedule of the rounds.
static const u8 SCHEDULE[7][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8},
    {3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1}, {10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6},
    {12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4}, {9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7},
    {11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13},
};
