// The decoder of the kernels' text as a program of the host: reads a text from its standard input, and writes the bytes
// that it stands for to its standard output.
#include "areas.h"
#include "../../../wasm/build/decoder.c"

int main(void) {
  enum { MOST = 1 << 16 };
  static u8 memory[2 * MOST]; // the text, then the bytes
  u8 *text_end = memory + fread(memory, 1, MOST, stdin);
  u8 *end = decode(memory, text_end);
  fwrite(text_end, end - text_end, 1, stdout);
  return 0;
}
