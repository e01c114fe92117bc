// The kernel of what compresses several blocks of BLAKE2 at once: BLAKE2bp and BLAKE2Xb, or BLAKE2sp, BLAKE2Xs and many
// messages of BLAKE2s. The parameters' flags choose between the first two.
#include "extendable.h"
#include "tree.h"

EXPORT(init) void init(u8 *s) {
  const parameters *p = (const parameters *)PARAMETERS;
  require_state(s);
  if (p->flags & PARALLEL) start_tree((tree *)s, p);
  else start_extendable((extendable *)s, p);
}

EXPORT(update) void update(u8 *s, const u8 *input, u32 length) {
  require_state(s), require_input(input, length);
  if (((const head *)s)->flags & PARALLEL) update_tree((tree *)s, input, length);
  else update_state((state *)s, input, length);
}

EXPORT(root) void root(const u8 *s) {
  require_state(s);
  open_source((const extendable *)s, (source *)ROOT);
}

EXPORT(squeeze) void squeeze(u32 low, u32 high, u32 length) {
  require_output(length);
  xof_bytes((const source *)ROOT, (u64)high << 32 | low, length, OUTPUT);
}

EXPORT(finalize) void finalize(const u8 *s, u32 length) {
  require_state(s), require_output(length);
  if (((const head *)s)->flags & PARALLEL) {
    tree copy = *(const tree *)s;
    finish_tree(&copy, (word *)OUTPUT);
    wipe(&copy, sizeof copy);
  } else {
    source r;
    open_source((const extendable *)s, &r);
    xof_bytes(&r, 0, length, OUTPUT);
    wipe(&r, sizeof r);
  }
}

EXPORT(hash) void hash(u32 length, u32 output_length) {
  require_input(INPUT, length), require_output(output_length);
  init(ONESHOT);
  update(ONESHOT, INPUT, length);
  if (((const head *)ONESHOT)->flags & PARALLEL) finish_tree((tree *)ONESHOT, (word *)OUTPUT);
  else finalize(ONESHOT, output_length);
  wipe(ONESHOT, ((const head *)ONESHOT)->size);
  wipe(INPUT, length);
}

#if defined(SIMD) && WORD == 32
#include "many.h"
#endif
