// BLAKE2s of one message, over scalars.
#include "blake2s.h"
#include "blake2.h"
