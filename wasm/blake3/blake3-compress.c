// What BLAKE3 computes over the shapes of the build: blocks, runs of chunks and parents, the output and, with lanes, messages
// side by side.
#include "output.h"
#if LANES32 == 4
#include "many.h"
#endif
