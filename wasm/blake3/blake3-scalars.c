// Blocks of one BLAKE3 message, over scalars.
#ifdef JAVASCRIPT
#include "compress-javascript.h"
#else
#include "compress-scalars.h"
#endif

NOINLINE void compress_blocks_by(
    compress_mode mode, cv_word cv[8], u8 *input, u32 blocks, u64 counter, u32 length, u32 flags, u32 first, u32 last) {
  compress_chain(mode, cv, cv, input, blocks, (u32)counter, (u32)(counter >> 32), length, flags, first, last);
}
