// BLAKE3: the tree of chunks (BLAKE3 paper section 2), its hash, keyed and derive-key modes, and the extendable output.
#include "node.h"

#define MAX_DEPTH 54 // levels above the chunks of a message of 2^64 - 1 bytes
#define SUBTREE (INPUT_SIZE / CHUNK)

// `blocks` blocks of the current chunk are in `cv`, and `buffered` bytes wait in `buffer`. The stack has the chaining
// values of whole subtrees, largest first. It comes last, so that JavaScript copies only the part in use.
typedef struct {
  head head; // flags: the mode's
  u32 key[8];
  u32 cv[8];
  u8 buffer[BLOCK];
  u32 blocks;
  u32 depth;
  u64 unused; // saved states have zeros here
  u8 stack[MAX_DEPTH + 1][CV];
} state;

// ---- the tree ----

// The chaining values of pairs, in place.
INLINE void hash_parents(const state *s, u8 *cvs, u32 parents) {
  hash_many(cvs, parents, 1, s->key, 0, false, s->head.flags | PARENT, 0, 0, cvs);
}

// Merges whole subtrees: after `chunks` chunks the stack has one for each bit that is set in their number.
INLINE void merge_stack(state *s, u64 chunks) {
  while (s->depth > (u32)__builtin_popcountll(chunks)) {
    s->depth--;
    hash_parents(s, s->stack[s->depth - 1], 1);
    wipe(s->stack[s->depth], CV);
  }
}

// A subtree is merged with earlier ones only when another follows it: until then one of them may be the root.
static void push(state *s, const u8 cv[CV], u64 chunks_before) {
  merge_stack(s, chunks_before);
  copy_cv(s->stack[s->depth++], cv);
}

INLINE u32 chunk_length(const state *s) { return s->blocks * BLOCK + s->head.buffered; }

INLINE u64 whole_chunks(const state *s) { return ((u64)s->head.count - chunk_length(s)) / CHUNK; }

INLINE void start_chunk(state *s) {
  copy_cv(s->cv, s->key);
  s->blocks = 0;
  s->head.buffered = 0;
}

INLINE u32 chunk_start(const state *s) { return s->blocks ? 0 : CHUNK_START; }

// Whole blocks of the current chunk.
INLINE void update_blocks(state *s, u64 chunk, const u8 *input, u32 blocks) {
  compress_blocks(s->cv, s->cv, input, blocks, chunk, BLOCK, s->head.flags, chunk_start(s), 0, false);
  s->blocks += blocks;
}

// Bytes within one chunk. Its last block waits in the buffer, because it may be the chunk's and the tree's last.
static void update_chunk(state *s, u64 chunk, const u8 *input, u32 length) {
  u32 room = BLOCK - s->head.buffered;
  if (length > room) {
    copy(s->buffer + s->head.buffered, input, room);
    update_blocks(s, chunk, s->buffer, 1);
    input += room, length -= room;
    u32 blocks = (length - 1) / BLOCK;
    if (blocks) update_blocks(s, chunk, input, blocks);
    input += blocks * BLOCK, length -= blocks * BLOCK;
    s->head.buffered = 0;
  }
  copy(s->buffer + s->head.buffered, input, length);
  s->head.buffered += length;
}

static void finish_chunk(state *s, u64 chunk) {
  compress_blocks(s->cv, s->cv, s->buffer, 1, chunk, BLOCK, s->head.flags, chunk_start(s), CHUNK_END, false);
  push(s, (const u8 *)s->cv, chunk);
  start_chunk(s);
}

// The largest whole subtree of at most `chunks` chunks that can start at this one.
INLINE u32 subtree_chunks(u64 chunk, u32 chunks) {
  u32 size = SUBTREE;
  while (size > chunks || (chunk & (size - 1))) size /= 2;
  return size;
}

// Merges the chaining values of a whole subtree level by level. Its two halves stay apart: they may make the root.
static void push_subtree(state *s, u64 chunk, u8 *cvs, u32 chunks) {
  u32 left = chunks;
  for (; left > 2; left /= 2) hash_parents(s, cvs, left / 2);
  push(s, cvs, chunk);
  if (left == 2) push(s, cvs + CV, chunk + chunks / 2);
}

// Whole chunks, none of which can be the root, and the first `tail` blocks of the chunk after them.
static void update_chunks(state *s, u64 chunk, const u8 *input, u32 chunks, u32 tail) {
  u8 cvs[SUBTREE][CV] ALIGNED;
  hash_chunks(input, chunks, tail, s->key, chunk, s->head.flags, cvs[0], s->cv);
  s->blocks = tail;
  for (u32 done = 0; done < chunks;) {
    u32 size = subtree_chunks(chunk + done, chunks - done);
    push_subtree(s, chunk + done, cvs[done], size);
    done += size;
  }
  wipe(cvs, chunks * CV);
}

static NOINLINE void update_state(state *s, const u8 *input, u32 length) {
  u64 chunk = whole_chunks(s);
  s->head.count = (u64)s->head.count + length;
  if (chunk_length(s)) {
    u32 n = min32(length, CHUNK - chunk_length(s));
    update_chunk(s, chunk, input, n);
    input += n, length -= n;
    if (!length) return;
    finish_chunk(s, chunk++);
  }
  while (length > CHUNK || (length == CHUNK && chunk % 2)) {
    u32 chunks = min32(length / CHUNK, SUBTREE);
    // An odd last chunk stays in progress, so that between two calls there is always something to make the root from.
    if (length == chunks * CHUNK && (chunk + chunks) % 2) chunks--;
    u32 rest = length - chunks * CHUNK, tail = rest && chunks % 4 ? (rest - 1) / BLOCK : 0;
    update_chunks(s, chunk, input, chunks, tail);
    input += chunks * CHUNK + tail * BLOCK, length = rest - tail * BLOCK, chunk += chunks;
  }
  if (!length) return;
  update_chunk(s, chunk, input, length);
  merge_stack(s, chunk);
}

INLINE void start(state *s, const parameters *p) {
  s->head = (head){0, 0, 0, p->flags, 0};
  s->depth = 0;
  s->unused = 0;
  copy_cv(s->key, p->key);
  start_chunk(s);
}

INLINE void measure(state *s) { s->head.size = __builtin_offsetof(state, stack) + s->depth * CV; }

// ---- the root ----

INLINE void node_cv(const node *n, u32 cv[8]) {
  compress_blocks(n->cv, cv, n->block, 1, n->counter, n->length, n->flags, 0, 0, false);
}

INLINE void parent_node(const state *s, node *n) {
  copy_cv(n->cv, s->key);
  n->length = BLOCK, n->flags = s->head.flags | PARENT, n->counter = 0;
}

INLINE void chunk_node(const state *s, node *n) {
  u32 waiting = s->head.buffered;
  copy_cv(n->cv, s->cv);
  copy(n->block, s->buffer, waiting);
  wipe(n->block + waiting, BLOCK - waiting);
  n->counter = whole_chunks(s);
  n->length = waiting, n->flags = s->head.flags | chunk_start(s) | CHUNK_END;
}

// Merges the right edge of the tree from the bottom: a chunk in progress, or the last two subtrees, then each earlier
// one.
static NOINLINE void root_node(const state *s, node *n) {
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
    copy_cv(n->block, s->stack[--depth]);
    copy_cv(n->block + CV, cv);
    wipe(cv, CV);
  }
  n->flags |= ROOT_NODE;
}

// ---- a longer message, or a longer output, from INPUT ----

INLINE void tree_node(const parameters *p, u32 length, node *n) {
  state *s = (state *)ONESHOT;
  start(s, p);
  update_state(s, INPUT, length);
  root_node(s, n);
  measure(s);
  wipe(s, s->head.size);
}

// ---- exports ----

EXPORT(init) void init(u8 *s) {
  require_state(s);
  start((state *)s, (const parameters *)PARAMETERS);
  measure((state *)s);
}

EXPORT(update) void update(u8 *s, const u8 *input, u32 length) {
  require_state(s), require_input(input, length);
  update_state((state *)s, input, length);
  measure((state *)s);
}

EXPORT(root) void root(const u8 *s) {
  require_state(s);
  root_node((const state *)s, (node *)ROOT);
}

EXPORT(squeeze) void squeeze(u32 low, u32 high, u32 length) {
  require_output(length);
  output((const node *)ROOT, (u64)high << 32 | low, length, OUTPUT);
}

EXPORT(finalize) void finalize(const u8 *s, u32 length) {
  require_state(s), require_output(length);
  node n;
  root_node((const state *)s, &n);
  output(&n, 0, length, OUTPUT);
  wipe(&n, sizeof n);
}

void hash_tree(u32 length, u32 output_length) {
  node n;
  tree_node((const parameters *)PARAMETERS, length, &n);
  wipe(INPUT, length);
  output(&n, 0, output_length, OUTPUT);
  wipe(&n, sizeof n);
}
