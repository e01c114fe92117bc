// The decoder of the kernels' text as a program of the host: reads a text from its standard input, and writes the bytes that it
// stands for to its standard output.
#include "areas.h"
#include "../../../wasm/decoder.c"

int main(void) {
  enum { MOST = 1 << 16 };
  static u8 read[MOST];
  u32 length = fread(read, 1, MOST, stdin);
  u8 *text = malloc(length); // exactly as many as there are
  memcpy(text, read, length);
  u8 *end = decode(text, text + length);
  fwrite(text, end - text, 1, stdout);
  free(text);
  return 0;
}
