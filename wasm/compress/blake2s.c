// BLAKE2s's compression function over scalars.
#include "blake2s.h"
#include "blake2.h"
