// Decodes the text that text.mjs makes of a kernel: JavaScript that has just started takes five times as long. A
// character is a digit to the base 90, after a mark if 90 or 180 is to be added; a byte is that number plus 248, modulo
// 256. What stands for the byte after local.get, local.set or local.tee (0x20 to 0x22) is at the end of the text, each
// one before the one that came last: the local's place among all, the one used last first.
#include "../memory.h"

// Where the build says. Each is less by its place, so that zeroed memory has them in order.
#define LOCALS ((u8 *)LOCALS_AT)

// The local at a place, which becomes the first.
INLINE u8 local_at(u8 place) {
  u8 local = LOCALS[place] + place;
  for (; place; place--) LOCALS[place] = LOCALS[place - 1] - 1;
  return *LOCALS = local;
}

// Writes the bytes that the characters from `text` to `end` stand for after them, and returns the end of the bytes.
EXPORT(decode) u8 *decode(const u8 *text, const u8 *end) {
  u8 *to = (u8 *)end;
  u32 page = 0, local = 0;
  do {
    u32 digit = *(local ? --end : text++) - 35;
    if (digit < 90) {
      u8 byte = page + digit - 8;
      if (local) byte = local_at(byte);
      local = !local && byte - 0x20u < 3;
      *to++ = byte;
      page = 0;
    } else {
      page = 90 * (digit - 89);
    }
  } while (text < end);
  return to;
}
