// Shared by the modes of a message (blake3.c) and the computation of its output (blake3-lanes.c).
#pragma once
#include "compress.h"

// What the caller writes to PARAMETERS: the key (for the plain hash the IV) and the mode's flag.
typedef struct {
  u32 key[8];
  u32 flags;
} parameters;

// The last compression of a tree or chunk, before it is known whether it is the root: its chaining value or, as in the
// paper's section 2.6, its output can be computed from it. The caller may write that of a root of two subtrees to ROOT,
// for `squeeze`.
typedef struct {
  u32 cv[8];
  u8 block[BLOCK];
  u32 length;
  u32 flags;
  u64 counter;
} node;

// Writes bytes of the root's output, from byte `at` on (paper section 2.6).
void output(const node *n, u64 at, u32 length, u8 *out);

// The chaining values of adjacent chunks. `tail` blocks of the next chunk, if any, fill a lane beside the last one to three
// chunks; `tail_cv` is their chaining value.
void hash_chunks(
    const u8 *input, u32 chunks, u32 tail, const cv_word key[8], u64 counter, u32 flags, u8 *out, cv_word tail_cv[8]);

// Hashes INPUT, of any length, to OUTPUT, and wipes INPUT.
void hash_tree(u32 length, u32 output_length);

INLINE u32 blocks_of(u32 length) { return length > BLOCK ? (length + BLOCK - 1) / BLOCK : 1; }
