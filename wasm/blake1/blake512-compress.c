// The compression function of BLAKE-512, over the shape of the build.
#include "blake512-word.h"
#ifdef SIMD
#include "compress-rows.h"
#else
#include "compress-scalars.h"
#endif
