// BLAKE2 of one message (RFC 7693 section 3.3), for either word: parameters, key, block buffer, byte counter,
// finalization.
#pragma once
#include "compress.h"

#define DIGEST (8 * sizeof(word))
#define KEY_MAX (8 * sizeof(word))

enum { LAST_NODE = 1, PARALLEL = 2, EXTENDABLE = 4 }; // the last node of its level in a tree; tree.h; extendable.h

// What the caller writes to PARAMETERS: the parameter block of the BLAKE2 paper (section 2.8), the key, and flags.
typedef struct {
  word block[8];
  u8 key[KEY_MAX];
  u32 flags;
} parameters;

// The offsets of a parameter block's fields.
enum { DIGEST_LENGTH = 0, KEY_LENGTH = 1, FANOUT = 2, MAX_DEPTH = 3, MAX_LEAF_LENGTH = 4, NODE_OFFSET = 8, XOF_LENGTH = 12 };
enum { NODE_DEPTH = WORD == 64 ? 16 : 14, INNER_LENGTH };

INLINE u32 key_length(const parameters *p) { return ((const u8 *)p->block)[KEY_LENGTH]; }

typedef struct {
  head head; // flags: those of the parameters
  word h[8];
  u8 buffer[BLOCK];
} state;

// Bytes that have been compressed.
INLINE u128 compressed(const head *s) { return s->count + s->prefix - s->buffered; }

// After `t` bytes.
INLINE position after(u128 t) { return (position){(word)t, (word)(t >> WORD), 0, 0}; }

// Of the block in which the message ends after `t` bytes.
INLINE position last(u128 t, u32 flags) {
  t -= BLOCK;
  return (position){(word)t, (word)(t >> WORD), ~(word)0, flags & LAST_NODE ? ~(word)0 : 0};
}

#ifdef JAVASCRIPT
INLINE void start_chain(word h[8], const word block[8]) {
  for (int i = 0; i < 8; i++) h[i] = IV[i] ^ block[i];
}
#else
// 64 bits at a time: by words, it would take 2 % of a hash of 64 bytes. Steps of two are less code than all at once.
INLINE void start_chain(word h[8], const word block[8]) {
  const u8 *iv = (const u8 *)iv_in_memory();
#pragma clang loop unroll_count(2)
  for (u32 i = 0; i < 8 * sizeof(word); i += 8) {
    store64((u8 *)h + i, load64(iv + i) ^ load64((const u8 *)block + i));
  }
}
#endif

// The key fills a block of its own (RFC 7693 section 3.3), zero-padded by the caller up to KEY_MAX.
INLINE void load_key(u8 block[BLOCK], const parameters *p) {
  copy(block, p->key, KEY_MAX);
  wipe(block + KEY_MAX, BLOCK - KEY_MAX);
}

SMALL void start(state *s, const parameters *p) {
  u32 prefix = key_length(p) ? BLOCK : 0;
  s->head = (head){sizeof(state), prefix, prefix, p->flags, 0};
  start_chain(s->h, p->block);
  load_key(s->buffer, p);
}

// A full block waits in the buffer: it may be the last one until another byte comes.
INLINE void update_state(state *s, const u8 *input, u32 length) {
  u32 room = BLOCK - s->head.buffered;
  u128 t = compressed(&s->head);
  s->head.count += length;
  if (length > room) {
    copy(s->buffer + s->head.buffered, input, room);
    compress_blocks(s->h, s->buffer, 1, after(t));
    input += room, length -= room;
    u32 whole = (length - 1) / BLOCK;
    if (whole) compress_blocks(s->h, input, whole, after(t + BLOCK));
    input += whole * BLOCK, length -= whole * BLOCK;
    s->head.buffered = 0;
  }
  copy(s->buffer + s->head.buffered, input, length);
  s->head.buffered += length;
}

SMALL void finish(const state *s, word out[8]) {
  u8 block[BLOCK];
  copy(block, s->buffer, s->head.buffered);
  wipe(block + s->head.buffered, BLOCK - s->head.buffered);
  for (int i = 0; i < 8; i++) out[i] = s->h[i];
  compress_blocks(out, block, 1, last(s->head.count + s->head.prefix, s->head.flags));
  wipe(block, BLOCK);
}

// The whole message is in INPUT, so its last block is padded there and no state is kept.
INLINE void hash_input(const parameters *p, u32 length, word out[8]) {
  u128 t = 0;
  start_chain(out, p->block);
  if (key_length(p)) {
    u8 block[BLOCK];
    load_key(block, p);
    compress_blocks(out, block, 1, length ? after(0) : last(BLOCK, p->flags));
    t = BLOCK;
    wipe(block, BLOCK);
    if (!length) return;
  }
  u32 whole = length ? (length - 1) / BLOCK : 0, rest = length - whole * BLOCK;
  u8 *end = INPUT + whole * BLOCK;
  wipe(end + rest, BLOCK - rest);
  if (whole) compress_blocks(out, INPUT, whole, after(t));
  compress_blocks(out, end, 1, last(t + length, p->flags));
}
