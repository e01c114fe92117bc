// The kernel of BLAKE3's subtrees as a program of the host: reads lengths and the number of a first chunk from its standard
// input, and writes chaining values to its standard output.
#include "areas.h"
#include "../../../wasm/blake3/blake3-subtrees.c"
#include <stdio.h>
#include <stdlib.h>

static u32 next_word(void) {
  u32 word;
  if (fread(&word, 4, 1, stdin) != 1) exit(0);
  return word;
}

// A subtree's encoding in pre-order and its nodes in post-order, written by the definition of both, one node after the other.
typedef struct {
  const parameters *p;
  u32 group, chunk; // bytes in a group; the number of the next chunk
  u8 *encoding, *nodes;
} writer;

static void write_subtree(writer *w, const u8 *input, u32 length, u8 *cv) {
  if (length <= w->group) {
    u8 *cvs = malloc((length + CHUNK - 1) / CHUNK * CV);
    groups(w->p, input, length, w->group / CHUNK, w->chunk, 0, cvs);
    memcpy(cv, cvs, CV), memcpy(w->encoding, input, length);
    w->encoding += length, w->chunk += w->group / CHUNK;
    free(cvs);
    return;
  }
  u32 left = w->group;
  while (2 * left < length) left *= 2;
  u8 pair[NODE], *node = w->encoding;
  w->encoding += NODE;
  write_subtree(w, input, left, pair), write_subtree(w, input + left, length - left, pair + CV);
  memcpy(node, pair, NODE), memcpy(w->nodes, pair, NODE);
  w->nodes += NODE;
  merge(w->p, pair, 2);
  memcpy(cv, pair, CV);
}

// Returns whether what reads and writes nodes agrees with the definition. `values` are those of the groups.
static int agrees(const parameters *p, const u8 *input, u32 length, u32 per, const u8 *values) {
  u32 group = per * CHUNK, count = (length + group - 1) / group, nodes_size = (count - 1) * NODE;
  u32 chunk_count = (length + CHUNK - 1) / CHUNK, size = length + nodes_size;
  u8 *encoding = malloc(size), *nodes = malloc(nodes_size), root[CV];
  u8 *content = malloc(length), *cvs = malloc(chunk_count * CV), *folded = malloc(count * CV), *collected = malloc(nodes_size);
  write_subtree(&(writer){p, group, 0, encoding, nodes}, input, length, root);
  gather(encoding, length, group, content);
  groups(p, content, length, per, 0, 0, cvs);
  memcpy(folded, cvs, count * CV);
  u32 wrong = match(p, folded, count, encoding, group);
  memcpy(folded, cvs, count * CV);
  collect(p, folded, count, collected);
  encoding[0] ^= 1; // in the root's node
  u8 *again = malloc(count * CV);
  memcpy(again, cvs, count * CV);
  u32 missed = !match(p, again, count, encoding, group);
  merge(p, folded, 2);
  int same = !wrong && !missed && !memcmp(cvs, values, count * CV) && !memcmp(folded, root, CV) &&
             !memcmp(collected, nodes, nodes_size) && !memcmp(content, input, length);
  free(encoding), free(nodes), free(content), free(cvs), free(folded), free(collected), free(again);
  return same;
}

// Objects of exactly the sizes that are allowed.
int main(void) {
  for (;;) {
    parameters p;
    u32 length = next_word(), low = next_word(), high = next_word(), per = next_word();
    u32 chunk_count = (length + CHUNK - 1) / CHUNK;
    for (int i = 0; i < 8; i++) p.key[i] = next_word();
    p.flags = next_word();
    u8 *input = malloc(length), *cvs = malloc(chunk_count * CV), *grouped = malloc(chunk_count * CV);
    for (u32 i = 0; i < length; i++) input[i] = i % 251;
    groups(&p, input, length, 1, low, high, cvs);
    groups(&p, input, length, per, low, high, grouped);
    u32 group_count = (chunk_count + per - 1) / per;
    if (group_count > 1) {
      u8 *first = malloc(chunk_count * CV);
      groups(&p, input, length, per, 0, 0, first);
      if (!agrees(&p, input, length, per, first)) return fprintf(stderr, "nodes differ at %u bytes\n", length), 1;
      free(first);
    }
    // Groups are whole subtrees, so their values merge to the same one.
    merge(&p, grouped, group_count);
    merge(&p, cvs, chunk_count);
    if (memcmp(cvs, grouped, CV)) return fprintf(stderr, "groups differ at %u bytes\n", length), 1;
    fwrite(cvs, CV, 1, stdout);
    clear(input, length);
    free(input), free(cvs), free(grouped);
  }
}
