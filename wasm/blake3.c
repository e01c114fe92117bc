// BLAKE3: the tree of chunks (BLAKE3 paper section 2), its hash, keyed and derive-key modes, and the extendable output.
#include "memory.h"
#include "compress/blake3.h"

#define BLOCK 64
#define CHUNK 1024
#define CV 32
#define MAX_DEPTH 54 // levels above the chunks of a message of 2^64 - 1 bytes
#define SUBTREE (INPUT_SIZE / CHUNK)

enum { CHUNK_START = 1, CHUNK_END = 2, PARENT = 4, ROOT_NODE = 8 }; // the mode's flags 16, 32 and 64 come from the caller

// What the caller writes to PARAMETERS: the key (for the plain hash the IV) and the mode's flag.
typedef struct {
  u32 key[8];
  u32 flags;
} parameters;

// `count` tells the chunk's number; `blocks` of the current chunk are in `cv`, and `buffered` bytes wait in `buffer`.
// The stack holds the chaining values of whole subtrees, largest first, and is the last member: a swap copies what is in use.
typedef struct {
  head head; // flags: the mode's
  u32 key[8];
  u32 cv[8];
  u8 buffer[BLOCK];
  u32 blocks;
  u32 depth;
  u32 reserved[2];
  u8 stack[MAX_DEPTH + 1][CV];
} state;

// The last compression of a tree or chunk, before it is known whether it is the root (what `chaining value` and `output`
// of the paper's section 2.6 share).
typedef struct {
  u32 cv[8];
  u8 block[BLOCK];
  u32 length;
  u32 flags;
  u64 counter;
} node;

// ---- runs of equal-sized inputs: chunks, or parents (chunks of one block) ----

typedef struct {
  const u32 *key;
  u64 counter;
  u32 step;   // added to the counter from one input to the next: 1 for chunks, 0 for parents
  u32 blocks; // of 64 bytes in each input
  u32 flags, first, last;
} run;

INLINE u32 block_flags(const run *r, u32 block) {
  return r->flags | (block == 0 ? r->first : 0) | (block + 1 == r->blocks ? r->last : 0);
}

INLINE void hash_one(const run *r, const u8 *input, u8 *out) {
  u32 cv[8];
  copy(cv, r->key, CV);
  for (u32 i = 0; i < r->blocks; i++) compress(cv, input + i * BLOCK, (place){r->counter, BLOCK, block_flags(r, i)});
  copy(out, cv, CV);
}

#if LANES32 == 4

INLINE void load_message(u32x4 m[16], const u8 *input, u32 stride) {
  for (int i = 0; i < 16; i += 4) {
    for (int lane = 0; lane < 4; lane++) m[i + lane] = load_u32x4(input + lane * stride + 4 * i);
    transpose_u32x4(&m[i], &m[i + 1], &m[i + 2], &m[i + 3]);
  }
}

NOINLINE void hash_lanes(const run *r, const u8 *input, u8 *out) {
  u32 stride = r->blocks * BLOCK;
  u64 c0 = r->counter, c1 = c0 + r->step, c2 = c1 + r->step, c3 = c2 + r->step;
  u32x4 low = {(u32)c0, (u32)c1, (u32)c2, (u32)c3};
  u32x4 high = {(u32)(c0 >> 32), (u32)(c1 >> 32), (u32)(c2 >> 32), (u32)(c3 >> 32)};
  u32x4 v[16], m[16];
  for (int i = 0; i < 8; i++) v[i] = splat_u32x4(r->key[i]);
  for (u32 i = 0; i < r->blocks; i++, input += BLOCK) {
    load_message(m, input, stride);
    v[12] = low, v[13] = high, v[14] = splat_u32x4(BLOCK), v[15] = splat_u32x4(block_flags(r, i));
    compress_lanes(v, m);
  }
  for (int i = 0; i < 8; i += 4) {
    transpose_u32x4(&v[i], &v[i + 1], &v[i + 2], &v[i + 3]);
    for (int lane = 0; lane < 4; lane++) store_u32x4(out + lane * CV + 4 * i, v[i + lane]);
  }
}

#endif

// The chaining values of `count` inputs that lie one after the other. `out` may be `input`: it is written behind the reading.
NOINLINE void hash_run(run *r, const u8 *input, u32 count, u8 *out) {
#if LANES32 == 4
  for (; count >= 4; count -= 4, r->counter += 4 * r->step, input += 4 * r->blocks * BLOCK, out += 4 * CV)
    hash_lanes(r, input, out);
#endif
  for (; count; count--, r->counter += r->step, input += r->blocks * BLOCK, out += CV) hash_one(r, input, out);
}

INLINE void hash_chunks(const state *s, u64 counter, const u8 *input, u32 chunks, u8 *out) {
  hash_run(&(run){s->key, counter, 1, CHUNK / BLOCK, s->head.flags, CHUNK_START, CHUNK_END}, input, chunks, out);
}

INLINE void hash_parents(const state *s, u8 *cvs, u32 parents) {
  hash_run(&(run){s->key, 0, 0, 1, s->head.flags | PARENT, 0, 0}, cvs, parents, cvs);
}

// ---- the tree ----

// Merges what is complete: after `chunks` chunks the stack keeps one subtree for each bit that is set in their number.
INLINE void merge_stack(state *s, u64 chunks) {
  while (s->depth > (u32)__builtin_popcountll(chunks)) {
    s->depth--;
    hash_parents(s, s->stack[s->depth - 1], 1);
  }
}

// A subtree is merged into its elders only when another follows it: until then one of them may be the root.
INLINE void push(state *s, const u8 cv[CV], u64 chunks_before) {
  merge_stack(s, chunks_before);
  copy(s->stack[s->depth++], cv, CV);
}

INLINE u32 chunk_length(const state *s) { return s->blocks * BLOCK + s->head.buffered; }

INLINE void start_chunk(state *s) {
  copy(s->cv, s->key, CV);
  s->blocks = 0;
  s->head.buffered = 0;
}

INLINE place chunk_place(const state *s, u64 chunk, u32 length, u32 last) {
  return (place){chunk, length, s->head.flags | (s->blocks ? 0 : CHUNK_START) | last};
}

// Bytes within one chunk. Its last block waits in the buffer, because it may be the chunk's and the tree's last.
static void absorb_in_chunk(state *s, u64 chunk, const u8 *input, u32 length) {
  while (length) {
    if (s->head.buffered == BLOCK) {
      compress(s->cv, s->buffer, chunk_place(s, chunk, BLOCK, 0));
      s->blocks++;
      s->head.buffered = 0;
    }
    u32 n = min32(length, BLOCK - s->head.buffered);
    copy(s->buffer + s->head.buffered, input, n);
    s->head.buffered += n, input += n, length -= n;
  }
}

static void finish_chunk(state *s, u64 chunk) {
  compress(s->cv, s->buffer, chunk_place(s, chunk, BLOCK, CHUNK_END));
  push(s, (const u8 *)s->cv, chunk);
  start_chunk(s);
}

// The largest whole subtree that may start at this chunk and fits into `length` bytes.
INLINE u32 subtree_chunks(u64 chunk, u32 length) {
  u32 chunks = SUBTREE;
  while (chunks * CHUNK > length || (chunk & (chunks - 1))) chunks /= 2;
  return chunks;
}

// All but the last two chaining values of a subtree are merged here; those two stay apart, since they may make the root.
static void absorb_subtree(state *s, u64 chunk, const u8 *input, u32 chunks) {
  u8 cvs[SUBTREE * CV];
  hash_chunks(s, chunk, input, chunks, cvs);
  u32 left = chunks;
  for (; left > 2; left /= 2) hash_parents(s, cvs, left / 2);
  push(s, cvs, chunk);
  if (left == 2) push(s, cvs + CV, chunk + chunks / 2);
}

static void absorb(state *s, const u8 *input, u32 length) {
  u64 chunk = (u64)((s->head.count - chunk_length(s)) / CHUNK);
  s->head.count += length;
  if (chunk_length(s)) {
    u32 n = min32(length, CHUNK - chunk_length(s));
    absorb_in_chunk(s, chunk, input, n);
    input += n, length -= n;
    if (!length) return;
    finish_chunk(s, chunk++);
  }
  while (length > CHUNK) {
    u32 chunks = subtree_chunks(chunk, length);
    absorb_subtree(s, chunk, input, chunks);
    input += chunks * CHUNK, length -= chunks * CHUNK, chunk += chunks;
  }
  if (!length) return;
  absorb_in_chunk(s, chunk, input, length);
  merge_stack(s, chunk);
}

INLINE void start(state *s, const parameters *p) {
  s->head = (head){0, 0, 0, p->flags, 0};
  s->depth = 0;
  s->reserved[0] = s->reserved[1] = 0;
  copy(s->key, p->key, CV);
  start_chunk(s);
}

INLINE void measure(state *s) { s->head.size = __builtin_offsetof(state, stack) + s->depth * CV; }

// ---- the root and its output ----

INLINE void node_cv(const node *n, u32 cv[8]) {
  copy(cv, n->cv, CV);
  compress(cv, n->block, (place){n->counter, n->length, n->flags});
}

INLINE void parent_node(const state *s, node *n) {
  copy(n->cv, s->key, CV);
  n->length = BLOCK, n->flags = s->head.flags | PARENT, n->counter = 0;
}

INLINE void chunk_node(const state *s, node *n) {
  u32 waiting = s->head.buffered;
  copy(n->cv, s->cv, CV);
  copy(n->block, s->buffer, waiting);
  wipe(n->block + waiting, BLOCK - waiting);
  n->counter = (u64)((s->head.count - chunk_length(s)) / CHUNK);
  place p = chunk_place(s, n->counter, waiting, CHUNK_END);
  n->length = p.length, n->flags = p.flags;
}

// The right edge of the tree, folded upwards: a chunk in progress, or the last two subtrees, then each older one.
static void root_node(const state *s, node *n) {
  u32 depth = s->depth;
  if (chunk_length(s) || depth == 0) {
    chunk_node(s, n);
  } else {
    depth -= 2;
    parent_node(s, n);
    copy(n->block, s->stack[depth], 2 * CV);
  }
  while (depth) {
    u32 cv[8];
    node_cv(n, cv);
    parent_node(s, n);
    copy(n->block, s->stack[--depth], CV);
    copy(n->block + CV, cv, CV);
  }
  n->flags |= ROOT_NODE;
}

// Output block number `counter` of the root: all 16 words (paper section 2.6).
INLINE void output_block(const node *n, u64 counter, u8 *out) {
#if LANES32 == 4
  u32x4 v[4];
  compress_rows(n->cv, n->block, (place){counter, n->length, n->flags}, v);
  store_u32x4(out, v[0]), store_u32x4(out + 16, v[1]);
  store_u32x4(out + 32, v[2] ^ load_u32x4(n->cv)), store_u32x4(out + 48, v[3] ^ load_u32x4(n->cv + 4));
#else
  compress_wide(n->cv, n->block, (place){counter, n->length, n->flags}, (u32 *)out);
#endif
}

static void output(const node *n, u64 at, u32 length, u8 *out) {
  u8 block[BLOCK];
  for (u32 done = 0; done < length;) {
    u32 skip = (u32)(at + done) % BLOCK, take = min32(BLOCK - skip, length - done);
    output_block(n, (at + done) / BLOCK, block);
    copy(out + done, block + skip, take);
    done += take;
  }
  wipe(block, BLOCK);
}

// ---- a message of one chunk at most, straight from INPUT ----

INLINE void one_chunk_node(const parameters *p, u32 length, node *n) {
  u8 *input = INPUT;
  u32 flags = p->flags | CHUNK_START;
  copy(n->cv, p->key, CV);
  for (; length > BLOCK; input += BLOCK, length -= BLOCK, flags = p->flags)
    compress(n->cv, input, (place){0, BLOCK, flags});
  copy(n->block, input, length);
  wipe(n->block + length, BLOCK - length);
  n->length = length, n->flags = flags | CHUNK_END | ROOT_NODE, n->counter = 0;
}

INLINE void tree_node(const parameters *p, u32 length, node *n) {
  state *s = (state *)ONESHOT;
  start(s, p);
  absorb(s, INPUT, length);
  root_node(s, n);
  measure(s);
  wipe(s, s->head.size);
}

// ---- exports ----

EXPORT(init) void init(u8 *s) {
  start((state *)s, (const parameters *)PARAMETERS);
  measure((state *)s);
}

EXPORT(update) void update(u8 *s, const u8 *input, u32 length) {
  absorb((state *)s, input, length);
  measure((state *)s);
}

EXPORT(root) void root(const u8 *s) { root_node((const state *)s, (node *)ROOT); }

EXPORT(squeeze) void squeeze(u32 low, u32 high, u32 length) {
  output((const node *)ROOT, (u64)high << 32 | low, length, OUTPUT);
}

EXPORT(finalize) void finalize(const u8 *s, u32 length) {
  node n;
  root_node((const state *)s, &n);
  output(&n, 0, length, OUTPUT);
  wipe(&n, sizeof n);
}

EXPORT(hash) void hash(u32 length, u32 output_length) {
  node n;
  const parameters *p = (const parameters *)PARAMETERS;
  if (length <= CHUNK) one_chunk_node(p, length, &n);
  else tree_node(p, length, &n);
  wipe(INPUT, length);
  if (output_length <= CV) {
    compress(n.cv, n.block, (place){0, n.length, n.flags});
    copy(OUTPUT, n.cv, CV);
  } else {
    output(&n, 0, output_length, OUTPUT);
  }
  wipe(&n, sizeof n);
}
