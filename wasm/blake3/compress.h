// Compressing BLAKE3's blocks (BLAKE3 paper section 2.2), as the modes call it. The modes need no SIMD and are compiled
// apart from it, so that both builds have the same code for them.
#pragma once
#include "../memory.h"

#define BLOCK 64
#define CV 32 // bytes in a chaining value
#define CHUNK 1024
#define CHUNK_BLOCKS (CHUNK / BLOCK)

enum { R1 = 16, R2 = 12, R3 = 8, R4 = 7 };

static const u32 IV[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

// The message permutation, applied 0 to 6 times.
static const u8 SCHEDULE[7][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8},
    {3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1}, {10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6},
    {12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4}, {9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7},
    {11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13},
};

// The mode's flags 16, 32 and 64 come from the caller.
enum { CHUNK_START = 1, CHUNK_END = 2, PARENT = 4, ROOT_NODE = 8 };

// Chaining values are stored wherever the caller wants them.
#ifdef JAVASCRIPT
typedef aligned_u32 cv_word;
#else
typedef unaligned_u32 cv_word;
#endif

// A call instead of eight loads and stores each time saves 0.6 kB of every bundle, gzipped.
__attribute__((unused)) static NOINLINE void copy_cv(void *to, const void *from) {
#ifdef JAVASCRIPT
  for (u32 i = 0; i < CV; i += sizeof(u32)) store_u32((u8 *)to + i, load_u32((const u8 *)from + i));
#else
  copy(to, from, CV);
#endif
}

// Compresses adjacent blocks from one chaining value to another, which may be the same place. The last block has `length`
// bytes. flags_start are more flags of the first block, flags_end of the last one. If `wide`, `cv` has room for all 16
// words of the output.
void compress_blocks(
    const cv_word from[8], cv_word cv[8], const u8 *input, u32 blocks, u64 counter, u32 length, u32 flags, u32 flags_start,
    u32 flags_end, bool wide);

#ifdef ROWS
u32 latency_by_default(void); // ../latency.h
// The cycles of a vector operation, by which shapes are chosen.
INLINE u32 vector_latency(void) { return *VECTOR_LATENCY ? *VECTOR_LATENCY : latency_by_default(); }

// The same over rows, to which compress_blocks() leaves it on some processors.
void compress_rows(
    const cv_word from[8], cv_word cv[8], const u8 *input, u32 blocks, u64 counter, u32 length, u32 flags, u32 flags_start,
    u32 flags_end, bool wide);
#endif

// The chaining values of `count` adjacent inputs of `blocks` blocks each, chunks or parents. `out` may be `input` if that
// is parents: each is read before its place is written.
void hash_many(
    const u8 *input, u32 count, u32 blocks, const cv_word key[8], u64 counter, bool increment_counter, u32 flags,
    u32 flags_start, u32 flags_end, u8 *out);
