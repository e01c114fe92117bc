// A kernel under libFuzzer and AddressSanitizer: the input is parameters and a sequence of operations on a state, as hashers
// use it: updates of any length, digests and parts of long outputs in between, the state moved out and in again. Whatever comes
// out must be what the plain implementation in reference-*.c makes of the same message.
#define FUZZ
#include "driver.c"
#include "reference.h"

enum { MESSAGE_LIMIT = INPUT_SIZE };
static u8 whole[MESSAGE_LIMIT], moved[sizeof area_state], given[sizeof area_parameters], expected_output[OUTPUT_MAX];

#ifdef TREE
#define EXTENDABLE_STATE 1
#elif defined XOF
#define EXTENDABLE_STATE (((const head *)STATE)->flags & EXTENDABLE)
// Bytes of the output's length in the parameter block (BLAKE2X paper section 2).
#define XOF_SIZE (sizeof(WORD) / 2)
#endif

typedef struct {
  const u8 *at, *end;
} input;

static u32 take_byte(input *in) { return in->at < in->end ? *in->at++ : 0; }

// The parameters that a kernel accepts without bounds of its own: keys and labels are any bytes, lengths are in range.
static void take_parameters(input *in) {
  memset(PARAMETERS, 0, sizeof area_parameters);
#ifdef DIGEST
  parameters *p = (parameters *)PARAMETERS;
  u8 *block = (u8 *)p->block;
  u32 key = take_byte(in) % (KEY_MAX + 1);
  for (u32 i = 0; i < sizeof p->block; i++) block[i] = take_byte(in);
  for (u32 i = 0; i < key; i++) p->key[i] = take_byte(in);
  block[DIGEST_LENGTH] = DIGEST, block[KEY_LENGTH] = key;
  wanted_length = DIGEST;
#ifdef XOF
  p->flags = take_byte(in) % 2 ? PARALLEL : EXTENDABLE;
  // A tree's nodes get their offset and depth from the kernel.
  if (p->flags & PARALLEL) block[NODE_OFFSET] = block[NODE_DEPTH] = 0;
  // BLAKE2X with an output of unknown length,
  if (p->flags & EXTENDABLE) {
    memset(block + 12, 255, XOF_SIZE), wanted_length = 1 + take_byte(in) * 5;
    // Or of one that the parameter block names.
    if (take_byte(in) % 2) block[12] = (u8)wanted_length, block[13] = (u8)(wanted_length >> 8);
    if (XOF_SIZE == 4 && block[13] != 255) block[14] = block[15] = 0;
  }
#else
  p->flags = take_byte(in) % 2;
#endif
#else
  for (u32 i = 0; i < 32; i++) PARAMETERS[i] = take_byte(in);
#ifdef TREE
  static const u32 modes[] = {0, 16, 64};
  ((parameters *)PARAMETERS)->flags = modes[take_byte(in) % 3];
  wanted_length = take_byte(in) * 3;
#else
  ((parameters *)PARAMETERS)->last_bit = take_byte(in) % 2;
  wanted_length = 8 * sizeof(WORD);
#endif
#endif
}

static u32 take_length(input *in) {
  u32 kind = take_byte(in);
  return kind < 128 ? kind : kind < 240 ? take_byte(in) * (kind - 127) : 1024 * (kind - 239) + take_byte(in) % 3 - 1;
}

// Requires that `length` bytes of OUTPUT are those of the message's output from byte `at` on.
static void expect_output(u32 message_length, u32 at, u32 length) {
  reference(given, whole, message_length, at, expected_output, length);
  if (memcmp(expected_output, OUTPUT, length)) __builtin_trap();
  memset(OUTPUT, 0, sizeof area_output);
}

static void move_state(void) {
  u32 used = ((const head *)STATE)->size;
  memcpy(moved, STATE, used), memset(STATE, 0xa5, sizeof area_state);
  memcpy(STATE, moved, used);
}

static void check_digest(u32 length) {
  FINALIZE(STATE, wanted_length);
  expect_output(length, 0, wanted_length);
}

// A part of the output, if it is extendable.
static void check_part(input *in, u32 length) {
#ifdef XOF
  if (((const head *)STATE)->flags & NO_XOF || !(EXTENDABLE_STATE) || !wanted_length) return;
  u32 at = (take_byte(in) * 256 + take_byte(in)) % wanted_length, part = take_byte(in) % (wanted_length - at) + 1;
  root(STATE);
  squeeze(at, 0, part);
  expect_output(length, at, part);
#else
  (void)in, (void)length;
#endif
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size) {
  input in = {data, data + size};
  u32 length = 0;
  take_parameters(&in);
  memcpy(given, PARAMETERS, sizeof given);
  init(STATE);
  while (in.at < in.end) {
    u32 operation = take_byte(&in) % 8, piece = min32(take_length(&in), MESSAGE_LIMIT - length);
    if (operation == 0) {
      check_digest(length);
    } else if (operation == 1) {
      move_state();
    } else if (operation == 2) {
      check_part(&in, length);
    } else {
      for (u32 i = 0; i < piece; i++) INPUT[i] = whole[length + i] = (u8)(take_byte(&in) + i);
      update(STATE, INPUT, piece);
      length += piece;
    }
  }
  check_digest(length);
  memcpy(INPUT, whole, length);
  HASH(length, wanted_length);
  expect_output(length, 0, wanted_length);
  return 0;
}
