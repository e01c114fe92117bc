// BLAKE3 after its paper, section 2: chunks, and a tree by recursion.
#include "reference.h"

enum { CHUNK_START_FLAG = 1, CHUNK_END_FLAG = 2, PARENT_FLAG = 4, ROOT_FLAG = 8, BLOCK_SIZE = 64, CHUNK_SIZE = 1024 };

static const uint32_t initial[4] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a};
static const uint8_t permutation[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};

static uint32_t rotate(uint32_t x, int by) { return x >> by | x << (32 - by); }

static uint32_t read_word(const uint8_t *p) {
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

// All that a compression takes; the last one of a message makes its output.
typedef struct {
  uint32_t cv[8];
  uint8_t block[BLOCK_SIZE];
  uint64_t counter;
  uint32_t length, flags;
} input_of_compression;

static void compress_one(const input_of_compression *in, uint64_t counter, uint32_t flags, uint32_t out[16]) {
  uint32_t v[16], m[16], permuted[16];
  for (int i = 0; i < 16; i++) m[i] = read_word(in->block + 4 * i);
  for (int i = 0; i < 8; i++) v[i] = in->cv[i];
  for (int i = 0; i < 4; i++) v[8 + i] = initial[i];
  v[12] = (uint32_t)counter, v[13] = (uint32_t)(counter >> 32), v[14] = in->length, v[15] = flags;
  for (int round = 0; round < 7; round++) {
    for (int i = 0; i < 8; i++) {
      const uint8_t *at = reference_places[i];
      uint32_t *a = v + at[0], *b = v + at[1], *c = v + at[2], *d = v + at[3];
      *a += *b + m[2 * i], *d = rotate(*d ^ *a, 16), *c += *d, *b = rotate(*b ^ *c, 12);
      *a += *b + m[2 * i + 1], *d = rotate(*d ^ *a, 8), *c += *d, *b = rotate(*b ^ *c, 7);
    }
    for (int i = 0; i < 16; i++) permuted[i] = m[permutation[i]];
    memcpy(m, permuted, sizeof m);
  }
  for (int i = 0; i < 8; i++) out[i] = v[i] ^ v[i + 8], out[i + 8] = v[i + 8] ^ in->cv[i];
}

static void chaining_value_of(const input_of_compression *in, uint32_t cv[8]) {
  uint32_t out[16];
  compress_one(in, in->counter, in->flags, out);
  memcpy(cv, out, 32);
}

static input_of_compression last_of_chunk(const uint32_t key[8], uint32_t mode, const uint8_t *p, size_t length, uint64_t number) {
  input_of_compression in = {.counter = number};
  size_t blocks = length ? (length + BLOCK_SIZE - 1) / BLOCK_SIZE : 1;
  memcpy(in.cv, key, sizeof in.cv);
  for (size_t i = 0; i < blocks; i++) {
    size_t rest = length - i * BLOCK_SIZE;
    if (i) chaining_value_of(&in, in.cv);
    in.length = rest < BLOCK_SIZE ? (uint32_t)rest : BLOCK_SIZE;
    in.flags = mode | (i == 0 ? CHUNK_START_FLAG : 0) | (i == blocks - 1 ? CHUNK_END_FLAG : 0);
    memset(in.block, 0, BLOCK_SIZE), memcpy(in.block, p + i * BLOCK_SIZE, in.length);
  }
  return in;
}

static input_of_compression top(const uint32_t key[8], uint32_t mode, const uint8_t *p, size_t length, uint64_t number) {
  if (length <= CHUNK_SIZE) return last_of_chunk(key, mode, p, length, number);
  size_t left = CHUNK_SIZE;
  while (2 * left < length) left *= 2;
  input_of_compression halves[2] = {
      top(key, mode, p, left, number), top(key, mode, p + left, length - left, number + left / CHUNK_SIZE)};
  input_of_compression in = {.length = BLOCK_SIZE, .flags = mode | PARENT_FLAG};
  memcpy(in.cv, key, sizeof in.cv);
  for (int half = 0; half < 2; half++) {
    uint32_t cv[8];
    chaining_value_of(&halves[half], cv);
    for (int i = 0; i < 32; i++) in.block[32 * half + i] = (uint8_t)(cv[i / 4] >> (8 * (i % 4)));
  }
  return in;
}

// Parameters: the key, the mode's flag.
void reference(const uint8_t *parameters, const uint8_t *message, size_t length, size_t at, uint8_t *out, size_t out_length) {
  uint32_t key[8], words[16];
  for (int i = 0; i < 8; i++) key[i] = read_word(parameters + 4 * i);
  input_of_compression root = top(key, parameters[32], message, length, 0);
  for (size_t i = 0; i < out_length; i++) {
    size_t place = (at + i) % BLOCK_SIZE;
    if (i == 0 || place == 0) compress_one(&root, (at + i) / BLOCK_SIZE, root.flags | ROOT_FLAG, words);
    out[i] = (uint8_t)(words[place / 4] >> (8 * (place % 4)));
  }
}
