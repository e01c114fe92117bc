// BLAKE2b and BLAKE2s after RFC 7693, BLAKE2bp and BLAKE2sp after the BLAKE2 paper, BLAKE2X after its own. BITS is 32 or 64.
#include "reference.h"
#include <stdlib.h>

#if BITS == 32
typedef uint32_t word;
enum { ROUND_COUNT = 10, R1 = 16, R2 = 12, R3 = 8, R4 = 7, LEAF_COUNT = 8, DEPTH_AT = 14 };
static const word initial[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};
#else
typedef uint64_t word;
enum { ROUND_COUNT = 12, R1 = 32, R2 = 24, R3 = 16, R4 = 63, LEAF_COUNT = 4, DEPTH_AT = 16 };
static const word initial[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};
#endif
enum { SIZE = sizeof(word), DIGEST_SIZE = 8 * SIZE, BLOCK_SIZE = 16 * SIZE };
enum { LAST_NODE_FLAG = 1, PARALLEL_FLAG = 2, EXTENDABLE_FLAG = 4 };

static word rotate(word x, int by) { return x >> by | x << (BITS - by); }

static word read_word(const uint8_t *p) {
  word x = 0;
  for (int i = SIZE - 1; i >= 0; i--) x = (word)((uint64_t)x << 8) | p[i];
  return x;
}

static void write_u32(uint8_t *p, uint32_t x) {
  for (int i = 0; i < 4; i++) p[i] = (uint8_t)(x >> (8 * i));
}

// F of RFC 7693 section 3.2.
static void compress_one(word h[8], const uint8_t *block, uint64_t t, int last, int last_node) {
  word v[16], m[16];
  for (int i = 0; i < 16; i++) m[i] = read_word(block + i * SIZE), v[i] = i < 8 ? h[i] : initial[i - 8];
  v[12] ^= (word)t, v[13] ^= BITS == 32 ? (word)(t >> 32) : 0;
  if (last) v[14] = ~v[14];
  if (last && last_node) v[15] = ~v[15];
  for (int round = 0; round < ROUND_COUNT; round++) {
    for (int i = 0; i < 8; i++) {
      const uint8_t *at = reference_places[i], *s = reference_sigma[round % 10] + 2 * i;
      word *a = v + at[0], *b = v + at[1], *c = v + at[2], *d = v + at[3];
      *a += *b + m[s[0]], *d = rotate(*d ^ *a, R1), *c += *d, *b = rotate(*b ^ *c, R2);
      *a += *b + m[s[1]], *d = rotate(*d ^ *a, R3), *c += *d, *b = rotate(*b ^ *c, R4);
    }
  }
  for (int i = 0; i < 8; i++) h[i] ^= v[i] ^ v[i + 8];
}

// One node: its parameter block, its key (NULL if there is none), its message.
static void hash_node(
    const uint8_t *block, const uint8_t *key, const uint8_t *message, size_t length, int last_node, uint8_t digest[DIGEST_SIZE]) {
  size_t prefix = key ? BLOCK_SIZE : 0, total = prefix + length, blocks = total ? (total + BLOCK_SIZE - 1) / BLOCK_SIZE : 1;
  uint8_t *data = calloc(blocks, BLOCK_SIZE);
  if (key) memcpy(data, key, DIGEST_SIZE);
  if (length) memcpy(data + prefix, message, length);
  word h[8];
  for (int i = 0; i < 8; i++) h[i] = initial[i] ^ read_word(block + i * SIZE);
  for (size_t i = 0; i < blocks; i++) {
    int last = i == blocks - 1;
    compress_one(h, data + i * BLOCK_SIZE, last ? total : (i + 1) * BLOCK_SIZE, last, last_node);
  }
  free(data);
  for (int i = 0; i < DIGEST_SIZE; i++) digest[i] = (uint8_t)(h[i / SIZE] >> (8 * (i % SIZE)));
}

// The leaves take the blocks in turn; the last node of each level is marked.
static void hash_parallel(const uint8_t *block, const uint8_t *key, const uint8_t *message, size_t length, uint8_t *digest) {
  uint8_t leaves[LEAF_COUNT * DIGEST_SIZE], own[DIGEST_SIZE], *part = malloc(length + 1);
  memcpy(own, block, sizeof own);
  for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
    size_t taken = 0;
    for (size_t at = 0; at < length; at++) {
      if (at / BLOCK_SIZE % LEAF_COUNT == (size_t)leaf) part[taken++] = message[at];
    }
    own[8] = (uint8_t)leaf, own[DEPTH_AT] = 0;
    hash_node(own, key, part, taken, leaf == LEAF_COUNT - 1, leaves + leaf * DIGEST_SIZE);
  }
  free(part);
  own[8] = 0, own[DEPTH_AT] = 1;
  hash_node(own, NULL, leaves, sizeof leaves, 1, digest);
}

// Output block `number`: a hash of the message's hash.
static void hash_output(const uint8_t *block, const uint8_t *root, uint32_t number, uint8_t *digest) {
  uint8_t own[DIGEST_SIZE];
  memcpy(own, block, sizeof own);
  uint64_t total = 0;
  int bytes = BITS == 32 ? 2 : 4;
  for (int i = 0; i < bytes; i++) total |= (uint64_t)block[12 + i] << (8 * i);
  int unknown = total == (BITS == 32 ? 0xffff : 0xffffffff);
  uint64_t rest = total - (uint64_t)number * DIGEST_SIZE;
  own[0] = (uint8_t)(unknown || rest > DIGEST_SIZE ? DIGEST_SIZE : rest);
  own[1] = own[2] = own[3] = own[DEPTH_AT] = 0, own[DEPTH_AT + 1] = DIGEST_SIZE;
  write_u32(own + 4, DIGEST_SIZE), write_u32(own + 8, number);
  hash_node(own, NULL, root, DIGEST_SIZE, 0, digest);
}

// Parameters: the parameter block, the key, flags.
void reference(const uint8_t *parameters, const uint8_t *message, size_t length, size_t at, uint8_t *out, size_t out_length) {
  const uint8_t *block = parameters, *key = block[1] ? parameters + DIGEST_SIZE : NULL;
  uint32_t flags = parameters[2 * DIGEST_SIZE];
  uint8_t digest[DIGEST_SIZE], root[DIGEST_SIZE];
  if (flags & PARALLEL_FLAG) hash_parallel(block, key, message, length, digest);
  else hash_node(block, key, message, length, flags & LAST_NODE_FLAG, digest);
  memcpy(root, digest, sizeof root);
  for (size_t i = 0; i < out_length; i++) {
    size_t place = (at + i) % DIGEST_SIZE;
    if (flags & EXTENDABLE_FLAG && (i == 0 || place == 0)) hash_output(block, root, (uint32_t)((at + i) / DIGEST_SIZE), digest);
    out[i] = digest[place];
  }
}
