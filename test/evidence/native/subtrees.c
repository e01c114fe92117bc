// The kernel of BLAKE3's subtrees as a program of the host: reads lengths and the number of a first chunk from its
// standard input, and writes chaining values to its standard output. All objects have exactly the sizes that are
// allowed; what is computed of nodes, the proofs show.
#include "areas.h"
#include "../../../wasm/blake3/blake3-subtrees.c"

static u32 next_word(void) {
  u32 word;
  if (fread(&word, 4, 1, stdin) != 1) exit(0);
  return word;
}

// Content with any nodes between it, and the values of its groups.
static void read_nodes(const parameters *p, u32 count, u32 length, u32 group) {
  u32 nodes_size = (count - 1) * NODE;
  u8 *encoding = malloc(length + nodes_size), *content = malloc(length), *nodes = malloc(nodes_size);
  u8 *values = calloc(count, CV), *parents = malloc((count + 1) / 2 * CV);
  memset(encoding, 1, length + nodes_size);
  gather(encoding, length, group, content);
  level(p, values, count, parents);
  if (!match(p, values, count, encoding, group)) abort(); // the values are zeros
  collect(p, values, count, nodes);
  free(encoding), free(content), free(nodes), free(values), free(parents);
}

int main(void) {
  for (;;) {
    parameters p;
    u32 length = next_word(), low = next_word(), high = next_word(), per = next_word();
    u32 chunk_count = (length + CHUNK - 1) / CHUNK, group_count = (chunk_count + per - 1) / per;
    for (int i = 0; i < 8; i++) p.key[i] = next_word();
    p.flags = next_word();
    u8 *input = malloc(length), *values = malloc(chunk_count * CV);
    for (u32 i = 0; i < length; i++) input[i] = i % 251;
    groups(&p, input, length, per, low, high, values);
    if (group_count > 1) read_nodes(&p, group_count, length, per * CHUNK);
    merge(&p, values, group_count);
    fwrite(values, CV, 1, stdout);
    clear(input, length);
    free(input), free(values);
  }
}
