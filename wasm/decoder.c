// Reads the text that build.mjs makes of a kernel: JavaScript that has just started takes five times as long. Digits to the
// base 90, each behind a mark where 90 or 180 is to be added, count the bytes from 248 on.
#include "memory.h"

// Turns characters up to a zero into the bytes they stand for, in the same place; answers where the bytes end.
EXPORT(decode) u8 *decode(const u8 *text) {
  u8 *end = (u8 *)text;
  for (u32 page = 0; *text;) {
    u32 digit = *text++ - 35u;
    if (digit < 90) *end++ = page + digit - 8, page = 0;
    else page = 90 * (digit - 89);
  }
  return end;
}
