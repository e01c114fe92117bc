// BLAKE2b's compression function of one message.
#include "blake2b.h"
#ifdef LOOPS
#include "blake2-rows.h"
#else
#include "blake2.h"
#endif
