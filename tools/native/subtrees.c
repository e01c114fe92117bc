// The kernel of BLAKE3's subtrees as a program of the host: reads lengths and the number of a first chunk from its standard
// input, and writes chaining values to its standard output. With the argument `secret` the key and the message are marked as
// undefined (driver.c).
#include "areas.h"
#include "../../wasm/blake3/blake3-subtrees.c"
#include <stdio.h>
#include <stdlib.h>

#if __has_feature(memory_sanitizer)

#define undefine(p, length) __msan_poison(p, length)
#define define(p, length) __msan_unpoison(p, length)
#else
#define undefine(p, length) (void)0
#define define(p, length) (void)0
#endif

static u32 next_word(void) {
  u32 word;
  if (fread(&word, 4, 1, stdin) != 1) exit(0);
  return word;
}

// Objects of exactly the sizes that are allowed.
int main(int argc, char **argv) {
  (void)argv;
  for (;;) {
    parameters p;
    u32 length = next_word(), low = next_word(), high = next_word(), per = next_word();
    u32 chunk_count = (length + CHUNK - 1) / CHUNK;
    for (int i = 0; i < 8; i++) p.key[i] = next_word();
    p.flags = next_word();
    u8 *input = malloc(length), *cvs = malloc(chunk_count * CV), *grouped = malloc(chunk_count * CV);
    for (u32 i = 0; i < length; i++) input[i] = i % 251;
    if (argc > 1) undefine(input, length), undefine(p.key, sizeof p.key);
    chunks(&p, input, length, low, high, cvs);
    groups(&p, input, length, per, low, high, grouped);
    u32 group_count = (chunk_count + per - 1) / per;
    // Groups are whole subtrees, so their values merge to the same one.
    merge(&p, grouped, group_count);
    merge(&p, cvs, chunk_count);
    define(cvs, CV), define(grouped, CV);
    if (memcmp(cvs, grouped, CV)) return fprintf(stderr, "groups differ at %u bytes\n", length), 1;
    fwrite(cvs, CV, 1, stdout);
    clear(input, length);
    free(input), free(cvs), free(grouped);
  }
}
