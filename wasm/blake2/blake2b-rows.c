// BLAKE2b of one message, over rows.
#include "blake2b-word.h"
#ifdef __wasm_simd128__
#undef ROTATE_2
#undef ROTATE_3
#define MASK_2 U64X2_ROTR24
#define MASK_3 U64X2_ROTR16
#define ROTATE_2(x) swizzle_u64x4(x, mask_2)
#define ROTATE_3(x) swizzle_u64x4(x, mask_3)
#include "compress-rows.h"
#endif
