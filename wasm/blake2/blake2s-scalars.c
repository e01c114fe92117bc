// BLAKE2s of one message, over scalars.
#include "blake2s-word.h"
#define ROLLED
#include "compress-scalars.h"
