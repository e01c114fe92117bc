// BLAKE2s's compression function of one message.
#include "blake2s.h"
#ifdef LOOPS
#include "blake2-rows.h"
#else
#include "blake2.h"
#endif
