// BLAKE-224 to BLAKE-512 after the BLAKE paper, sections 2.1 and 2.2. BITS is 32 or 64.
#include "reference.h"

#if BITS == 32
typedef uint32_t word;
enum { ROUND_COUNT = 14, R1 = 16, R2 = 12, R3 = 8, R4 = 7 };
#else
typedef uint64_t word;
enum { ROUND_COUNT = 16, R1 = 32, R2 = 25, R3 = 16, R4 = 11 };
#endif
enum { SIZE = sizeof(word), BLOCK_SIZE = 16 * SIZE };

// The digits of pi after the point, 32 bits each.
static const uint32_t pi[32] = {
    0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89,
    0x452821e6, 0x38d01377, 0xbe5466cf, 0x34e90c6c, 0xc0ac29b7, 0xc97c50dd, 0x3f84d5b5, 0xb5470917,
    0x9216d5d9, 0x8979fb1b, 0xd1310ba6, 0x98dfb5ac, 0x2ffd72db, 0xd01adfb7, 0xb8e1afed, 0x6a267e96,
    0xba7c9045, 0xf12c7f99, 0x24a19947, 0xb3916cf7, 0x0801f2e2, 0x858efc16, 0x636920d8, 0x71574e69,
};

static word constant(int i) { return BITS == 32 ? pi[i] : (word)((uint64_t)pi[2 * i] << 32 | pi[2 * i + 1]); }

static word rotate(word x, int by) { return x >> by | x << (BITS - by); }

static word read_word(const uint8_t *p) {
  word x = 0;
  for (int i = 0; i < SIZE; i++) x = (word)((uint64_t)x << 8) | p[i];
  return x;
}

static void write_word(uint8_t *p, word x) {
  for (int i = 0; i < SIZE; i++) p[i] = (uint8_t)(x >> (8 * (SIZE - 1 - i)));
}

static void compress_one(word h[8], const word salt[4], const uint8_t *block, uint64_t bits) {
  word v[16], m[16];
  for (int i = 0; i < 16; i++) m[i] = read_word(block + i * SIZE), v[i] = i < 8 ? h[i] : constant(i - 8);
  for (int i = 0; i < 4; i++) v[8 + i] ^= salt[i];
  word low = (word)bits, high = BITS == 32 ? (word)(bits >> 32) : 0;
  v[12] ^= low, v[13] ^= low, v[14] ^= high, v[15] ^= high;
  for (int round = 0; round < ROUND_COUNT; round++) {
    for (int i = 0; i < 8; i++) {
      const uint8_t *at = reference_places[i], *s = reference_sigma[round % 10] + 2 * i;
      word *a = v + at[0], *b = v + at[1], *c = v + at[2], *d = v + at[3];
      *a += *b + (m[s[0]] ^ constant(s[1])), *d = rotate(*d ^ *a, R1), *c += *d, *b = rotate(*b ^ *c, R2);
      *a += *b + (m[s[1]] ^ constant(s[0])), *d = rotate(*d ^ *a, R3), *c += *d, *b = rotate(*b ^ *c, R4);
    }
  }
  for (int i = 0; i < 8; i++) h[i] ^= salt[i % 4] ^ v[i] ^ v[i + 8];
}

// Parameters: the initial value, the salt, and the bit that ends the padding.
void reference(const uint8_t *parameters, const uint8_t *message, size_t length, size_t at, uint8_t *out, size_t out_length) {
  word h[8], salt[4];
  for (int i = 0; i < 8; i++) h[i] = read_word(parameters + i * SIZE);
  for (int i = 0; i < 4; i++) salt[i] = read_word(parameters + (8 + i) * SIZE);
  size_t blocks = (length + 1 + 2 * SIZE + BLOCK_SIZE - 1) / BLOCK_SIZE;
  for (size_t i = 0; i < blocks; i++) {
    uint8_t block[BLOCK_SIZE] = {0};
    size_t first = i * BLOCK_SIZE, end = first + BLOCK_SIZE;
    for (size_t j = first; j < end && j < length; j++) block[j - first] = message[j];
    if (length >= first && length < end) block[length - first] = 0x80;
    if (i == blocks - 1) {
      block[BLOCK_SIZE - 2 * SIZE - 1] |= parameters[12 * SIZE];
      write_word(block + BLOCK_SIZE - SIZE, (word)(8 * (uint64_t)length));
    }
    uint64_t hashed = length < end ? length : end;
    compress_one(h, salt, block, hashed > first ? 8 * hashed : 0);
  }
  uint8_t digest[8 * SIZE];
  for (int i = 0; i < 8; i++) write_word(digest + i * SIZE, h[i]);
  memcpy(out, digest + at, out_length);
}
