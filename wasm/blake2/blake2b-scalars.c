// BLAKE2b of one message, over scalars.
#include "blake2b-word.h"
#include "compress-scalars.h"
