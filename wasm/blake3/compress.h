// Compressing, as the modes call it: blocks of one message, and runs of chunks or parents. The modes need no SIMD and
// are compiled apart from it, so that both builds have the same code for them.
#pragma once
#include "../memory.h"

#define BLOCK 64
#define CV 32 // bytes in a chaining value
#define CHUNK 1024
#define CHUNK_BLOCKS (CHUNK / BLOCK)

// The mode's flags 16, 32 and 64 come from the caller.
enum { CHUNK_START = 1, CHUNK_END = 2, PARENT = 4, ROOT_NODE = 8 };

// Chaining values are stored wherever the caller wants them.
#ifdef JAVASCRIPT
typedef aligned_u32 cv_word;
#else
typedef unaligned_u32 cv_word;
#endif

// A call instead of eight loads and stores each time saves 0.6 kB of every bundle, gzipped.
#ifdef JAVASCRIPT
__attribute__((unused)) static NOINLINE void copy_cv(void *to, const void *from) {
  for (u32 i = 0; i < CV; i += sizeof(u32)) store_u32((u8 *)to + i, load_u32((const u8 *)from + i));
}
#else
__attribute__((unused)) static NOINLINE void copy_cv(void *to, const void *from) { copy(to, from, CV); }
#endif

// ---- blocks of one message ----

// Flags are three bytes: those of all blocks, of the first block alone, and of the last block alone.
#define FIRST(flags) ((flags) << 8)
#define LAST(flags) ((flags) << 16)
// More flags of a call: zero each block after reading it; write all 16 words of the last one.
enum { WIPING = 1 << 24, WIDENING = 1 << 25 };

// The flags of a block. Those of the first are no longer in `flags` after it.
INLINE u32 flags_of(u32 flags, u32 is_last) { return (flags | flags >> 8 | (is_last ? flags >> 16 : 0)) & 0xff; }

// Compresses `blocks` blocks from one chaining value to another, which may be the same place; the last block has
// `length` bytes.
void compress_chain(const cv_word from[8], cv_word cv[8], const u8 *input, u32 blocks, u64 counter, u32 length, u32 flags);

#ifdef ROWS
u32 latency_by_default(void); // ../chain.h
// The cycles of a vector operation, by which shapes are chosen.
INLINE u32 vector_latency(void) { return *VECTOR_LATENCY ? *VECTOR_LATENCY : latency_by_default(); }

// The same over rows, to which compress_chain() leaves it on some processors.
void compress_rows(const cv_word from[8], cv_word cv[8], const u8 *input, u32 blocks, u64 counter, u32 length, u32 flags);
#endif

// The same in place, for most callers.
INLINE void compress_blocks(cv_word cv[8], const u8 *input, u32 blocks, u64 counter, u32 length, u32 flags) {
  compress_chain(cv, cv, input, blocks, counter, length, flags);
}

// ---- runs of inputs of equal size: chunks, or parents, of one block each ----

typedef struct {
  const cv_word *key;
  u64 counter;
  u32 step;   // added to the counter from one input to the next: 1 for chunks, 0 for parents
  u32 blocks; // of 64 bytes in each input
  u32 flags;  // as above
} run;

// The chaining values of `count` adjacent inputs, then that of the first `tail` blocks of the next, if any. `out` may
// be `input` if that is parents: each is read before its place is written.
void hash_run(run *r, const u8 *input, u32 count, u32 tail, u8 *out);

// The chaining values of `parents` adjacent pairs, in place. `flags` are the mode's.
INLINE void hash_parents(const cv_word *key, u32 flags, u8 *cvs, u32 parents) {
  run r = {key, 0, 0, 1, flags | PARENT};
  hash_run(&r, cvs, parents, 0, cvs);
}
