// BLAKE of one message (BLAKE paper sections 2.1 and 2.2): initial value, salt, block buffer, bit counter, padding.
#include "compress.h"

// The byte in which the padding ends, just before the two words of the length.
#define LAST_BIT (BLOCK - 2 * sizeof(word) - 1)

// What the caller writes to PARAMETERS, in the byte order of the paper.
typedef struct {
  u8 chain[sizeof(salted_chain)]; // the initial value, and the salt
  u32 last_bit;                   // the padding's last bit: 1 for the long digest of this word size, 0 for the short one
} parameters;

// The buffer holds less than a block.
typedef struct {
  head head; // flags: last_bit
  salted_chain chain;
  u8 buffer[BLOCK];
} state;

INLINE counter bits(u128 bytes) { return (counter){(word)(bytes << 3), (word)((bytes << 3) >> WORD)}; }

INLINE void start_chain(salted_chain *s, const parameters *p) { swap_rows(s, p->chain, 3); }

INLINE void start(state *s, const parameters *p) {
  s->head = (head){sizeof(state), 0, 0, p->last_bit, 0};
  start_chain(&s->chain, p);
}

INLINE void update_state(state *s, const u8 *input, u32 length) {
  u32 waiting = s->head.buffered, room = BLOCK - waiting;
  u128 done = s->head.count - waiting;
  s->head.count += length;
  if (waiting && length >= room) {
    copy(s->buffer + waiting, input, room);
    compress_blocks(&s->chain, s->buffer, 1, bits(done += BLOCK));
    input += room, length -= room, waiting = 0;
  }
  if (!waiting) {
    u32 whole = length / BLOCK;
    compress_blocks(&s->chain, input, whole, bits(done + BLOCK));
    input += whole * BLOCK, length -= whole * BLOCK;
  }
  copy(s->buffer + waiting, input, length);
  s->head.buffered = waiting + length;
}

INLINE void put_length(u8 block[BLOCK], counter length, u32 last_bit) {
  block[LAST_BIT] |= last_bit;
  store_word(block + BLOCK - 2 * sizeof(word), swap_word(length.high));
  store_word(block + BLOCK - sizeof(word), swap_word(length.low));
}

// Pads the message. Its last `waiting` bytes are at `block`, where the padding may be written after them. A block that
// holds padding only has the counter 0.
static NOINLINE void pad(salted_chain *s, u8 *block, u32 waiting, counter length, u32 last_bit) {
  u8 padding[BLOCK] = {waiting ? 0 : 0x80};
  if (waiting) {
    block[waiting] = 0x80;
    wipe(block + waiting + 1, BLOCK - waiting - 1);
    if (waiting <= LAST_BIT) put_length(block, length, last_bit);
    compress_blocks(s, block, 1, length);
    if (waiting <= LAST_BIT) return;
  }
  put_length(padding, length, last_bit);
  compress_blocks(s, padding, 1, (counter){0, 0});
}

INLINE void put_digest(const salted_chain *s) { swap_rows(OUTPUT, s->h, 2); }

INLINE void finish(const state *s) {
  salted_chain end = s->chain;
  u8 block[BLOCK];
  copy(block, s->buffer, BLOCK);
  pad(&end, block, s->head.buffered, bits(s->head.count), s->head.flags);
  put_digest(&end);
  wipe(block, BLOCK);
  wipe(&end, sizeof(end));
}

// The whole message is in INPUT, so its last block is padded there and no state is kept.
INLINE void hash_input(const parameters *p, u32 length) {
  u32 waiting = length % BLOCK, whole = length - waiting;
  salted_chain s;
  start_chain(&s, p);
  compress_blocks(&s, INPUT, whole / BLOCK, bits(BLOCK));
  pad(&s, INPUT + whole, waiting, bits(length), p->last_bit);
  put_digest(&s);
  wipe(&s, sizeof(s));
  wipe(INPUT, waiting ? whole + BLOCK : whole);
}

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
  finish((const state *)s);
}

EXPORT(hash) void hash(u32 length) {
  require_input(INPUT, length);
  hash_input((const parameters *)PARAMETERS, length);
}
