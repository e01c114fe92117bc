// Reads the text that build.mjs makes of a kernel: JavaScript that has just started takes five times as long. Digits to the
// base 90, each behind a mark where 90 or 180 is to be added, count the bytes from 248 on.
#include "memory.h"

// Turns `length` characters into the bytes they stand for, in the same place; answers how many bytes.
EXPORT(decode) u32 decode(u8 *text, u32 length) {
  u8 *end = text;
  for (u32 i = 0, page = 0; i < length; i++) {
    u32 digit = text[i] - 35u;
    if (digit < 90) *end++ = page + digit - 8, page = 0;
    else page = 90 * (digit - 89);
  }
  return end - text;
}
