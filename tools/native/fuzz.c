// A kernel under libFuzzer and AddressSanitizer: the input is parameters and a sequence of operations on a state, as hashers
// use it: updates of any length, outputs in between, the state moved out and in again. At the end the digest must be that of
// the whole message in one call. (That call's digests are compared with the package's in sanitize.mjs.)
#define FUZZ
#include "driver.c"

enum { MESSAGE_LIMIT = INPUT_SIZE };
static u8 whole[MESSAGE_LIMIT], moved[sizeof area_state], expected_digest[OUTPUT_MAX];

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
  static const u32 modes[] = {0, PARALLEL, EXTENDABLE};
  p->flags = modes[take_byte(in) % 3];
  // BLAKE2X with an output of unknown length.
  if (p->flags & EXTENDABLE) memset(block + 12, 255, 4), wanted_length = 1 + take_byte(in) * 5;
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

int LLVMFuzzerTestOneInput(const u8 *data, size_t size) {
  input in = {data, data + size};
  u32 length = 0;
  take_parameters(&in);
  *ROWS = take_byte(&in) % 2;
  init(STATE);
  while (in.at < in.end) {
    u32 operation = take_byte(&in) % 8, piece = min32(take_length(&in), MESSAGE_LIMIT - length);
    if (operation == 0) {
      FINALIZE(STATE, wanted_length);
    } else if (operation == 1) {
      u32 used = ((const head *)STATE)->size;
      memcpy(moved, STATE, used), memset(STATE, 0xa5, sizeof area_state);
      memcpy(STATE, moved, used);
    } else {
      for (u32 i = 0; i < piece; i++) INPUT[i] = whole[length + i] = (u8)(take_byte(&in) + i);
      update(STATE, INPUT, piece);
      length += piece;
    }
  }
  FINALIZE(STATE, wanted_length);
  memcpy(expected_digest, OUTPUT, wanted_length);
  memset(OUTPUT, 0, sizeof area_output);
  memcpy(INPUT, whole, length);
  HASH(length, wanted_length);
  if (memcmp(expected_digest, OUTPUT, wanted_length)) __builtin_trap();
  return 0;
}
