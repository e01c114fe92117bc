// The compression function of BLAKE-256, over the shape of the build.
#include "blake256-word.h"
#ifdef SIMD
#include "compress-rows.h"
#else
#include "compress-scalars.h"
#endif
