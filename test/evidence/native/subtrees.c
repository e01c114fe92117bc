// The kernel of BLAKE3's subtrees as a program of the host: reads lengths and the number of a first chunk from its
// standard input, and writes chaining values to its standard output. All objects have exactly the sizes that are
// allowed.
#include "areas.h"
#include "../../../wasm/blake3/blake3-subtrees.c"

static u32 next_word(void) {
  u32 word;
  if (fread(&word, 4, 1, stdin) != 1) exit(0);
  return word;
}

// Values of groups that are zeros, and their nodes.
static void collect_nodes(const parameters *p, u32 count) {
  u8 *values = calloc(count, CV), *nodes = malloc((count - 1) * NODE), *parents = malloc((count + 1) / 2 * CV);
  level(p, values, count, parents);
  collect(p, values, count, nodes);
  free(values), free(nodes), free(parents);
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
    if (group_count > 1) collect_nodes(&p, group_count);
    merge(&p, values, group_count);
    fwrite(values, CV, 1, stdout);
    clear(input, length);
    free(input), free(values);
  }
}
