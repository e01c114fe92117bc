// One kernel as a program of the host: reads requests from its standard input, and writes digests to its standard
// output. Each message is hashed in every way that the kernel has, and all ways must agree. Compiled once for each
// kernel and build, with
//   KERNEL    the kernel's file
//   LENGTHS   if finalize() and hash() take the length of the output
//   XOF       if there are root() and squeeze()
//   MANY      if there is many()
//
// A request is a list of 32-bit words and bytes:
//   operation, output length, parameters' length, parameters, count, lengths
// Operation 0 hashes messages of these lengths one by one; 1 hashes them by one call of many().
#include "areas.h"
#include KERNEL

#define DEFINE(name, size) __attribute__((aligned(64))) u8 area_##name[size];
AREAS(DEFINE)

#ifdef LENGTHS
#define FINALIZE(s, length) finalize(s, length)
#define HASH(length, output) hash(length, output)
#else
#define FINALIZE(s, length) finalize(s)
#define HASH(length, output) hash(length)
#endif

enum { MESSAGE_MAX = 1 << 21, OUTPUT_MAX = OUTPUT_SIZE };
static u8 message[MESSAGE_MAX], digest[OUTPUT_MAX], parameter_bytes[0x100];
static u32 parameters_length, wanted_length;

static void fail(const char *what, u32 length) {
  fprintf(stderr, "%s differs at %u bytes, output %u\n", what, length, wanted_length);
  exit(1);
}

static u32 next_word(void) {
  u32 word;
  if (fread(&word, 4, 1, stdin) != 1) exit(0);
  return word;
}

static void load_parameters(void) {
  memset(PARAMETERS, 0, sizeof area_parameters);
  memcpy(PARAMETERS, parameter_bytes, parameters_length);
}

static void take_digest(const char *way, u32 length, const u8 *from, int first) {
  if (first) memcpy(digest, from, wanted_length);
  else if (memcmp(digest, from, wanted_length)) fail(way, length);
}

// Pieces of all sizes around those of blocks and chunks, and full areas for long messages.
static u32 piece_of(u32 number, u32 length) {
  static const u32 sizes[] = {1, 63, 64, 65, 128, 127, 3, 1024, 1023, 1025, 4096, 200, 256, 5000};
  return length > 20000 && number % 3 ? INPUT_SIZE : sizes[(number + length) % (sizeof sizes / sizeof *sizes)];
}

static void absorb_message(u8 *s, u32 length) {
  for (u32 at = 0, number = 0; at < length; number++) {
    u32 piece = min32(piece_of(number, length), length - at);
    memcpy(INPUT, message + at, piece);
    update(s, INPUT, piece);
    at += piece;
  }
}

static void hash_message(u32 length) {
  load_parameters();
  init(STATE);
  absorb_message(STATE, length);
  FINALIZE(STATE, wanted_length);
  take_digest("update", length, OUTPUT, 1);
  FINALIZE(STATE, wanted_length);
  take_digest("the second finalize", length, OUTPUT, 0);
#ifdef XOF
  if (!(((const head *)STATE)->flags & NO_XOF)) {
    root(STATE);
    for (u32 at = 0, number = 0; at < wanted_length; number++) {
      u32 piece = min32(piece_of(number, 0), wanted_length - at);
      squeeze(at, 0, piece);
      if (memcmp(digest + at, OUTPUT, piece)) fail("squeeze", length);
      at += piece;
    }
  }
#endif
  if (length > INPUT_SIZE) return;
  load_parameters();
  memcpy(INPUT, message, length);
  HASH(length, wanted_length);
  take_digest("hash", length, OUTPUT, 0);
}

static void write_digest(void) { fwrite(digest, wanted_length, 1, stdout); }

#ifdef MANY
static void hash_side_by_side(const u32 *lengths, u32 count) {
  load_parameters();
  for (u32 i = 0, at = 0; i < count; i++) {
    memcpy(INPUT + at, message, lengths[i]);
    at += lengths[i] ? (lengths[i] + BLOCK - 1) / BLOCK * BLOCK : BLOCK;
    ((u32 *)JOBS)[i] = lengths[i];
  }
  many(count);
  for (u32 i = 0; i < count; i++) {
    take_digest("many", lengths[i], OUTPUT + i * wanted_length, 1);
    write_digest();
  }
}
#endif

int main(void) {
  static u32 lengths[0x10000];
  _initialize(); // as a host does with a module that exports it
  for (u32 i = 0; i < MESSAGE_MAX; i++) message[i] = i % 251;
  for (;;) {
    u32 operation = next_word();
    wanted_length = next_word(), parameters_length = next_word();
    if (parameters_length > sizeof parameter_bytes || wanted_length > OUTPUT_MAX) return 2;
    if (parameters_length && fread(parameter_bytes, parameters_length, 1, stdin) != 1) return 2;
    u32 count = next_word();
    for (u32 i = 0; i < count; i++) lengths[i] = next_word();
#ifdef MANY
    if (operation == 1) {
      hash_side_by_side(lengths, count);
      continue;
    }
#endif
    if (operation) return 2;
    for (u32 i = 0; i < count; i++) hash_message(lengths[i]), write_digest();
  }
}
