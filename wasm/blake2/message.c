// The kernel of BLAKE2b or BLAKE2s alone.
#include "mode.h"

EXPORT(init) void init(u8 *s) {
  require_state(s);
  start((state *)s, (const parameters *)PARAMETERS);
}

EXPORT(update) void update(u8 *s, const u8 *input, u32 length) {
  require_state(s), require_input(input, length);
  update_state((state *)s, input, length);
}

EXPORT(finalize) void finalize(const u8 *s) {
  require_state(s);
  finish((const state *)s, (word *)OUTPUT);
}

EXPORT(hash) void hash(u32 length) {
  require_input(INPUT, length);
  hash_input((const parameters *)PARAMETERS, length, (word *)OUTPUT);
  wipe(INPUT, length);
}
