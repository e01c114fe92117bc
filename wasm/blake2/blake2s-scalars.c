// BLAKE2s of one message, over scalars.
#include "blake2s-word.h"
#include "compress-scalars.h"
