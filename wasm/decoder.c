// Decodes the text that build.mjs makes of a kernel: JavaScript that has just started takes five times as long. A character is
// a digit to the base 90, after a mark if 90 or 180 is to be added; a byte is that number plus 248, modulo 256. An exclamation
// mark stands for a digit from the end of the text, each time for the one before.
#include "memory.h"

// Replaces the characters from `text` to `end` by the bytes they stand for, and returns the end of the bytes.
EXPORT(decode) u8 *decode(const u8 *text, const u8 *end) {
  u8 *to = (u8 *)text;
  for (u32 page = 0; text < end;) {
    u32 digit = *text++ - 35;
    if (digit > 92) digit = *--end - 35;
    if (digit < 90) *to++ = page + digit - 8, page = 0;
    else page = 90 * (digit - 89);
  }
  return to;
}
