// BLAKE2b of one message, over scalars.
#include "blake2b.h"
#include "blake2.h"
