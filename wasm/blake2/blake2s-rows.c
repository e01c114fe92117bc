// BLAKE2s of one message, over rows.
#include "blake2s-word.h"
#ifdef __wasm_simd128__
#undef ROTATE_1
#undef ROTATE_3
#define MASK_1 U32X4_ROTR16
#define MASK_3 U32X4_ROTR8
#define ROTATE_1(x) ((u32x4)swizzle(x, mask_1))
#define ROTATE_3(x) ((u32x4)swizzle(x, mask_3))
#include "compress-rows.h"
#endif
