// BLAKE2b's compression function over scalars.
#include "blake2b.h"
#include "blake2.h"
