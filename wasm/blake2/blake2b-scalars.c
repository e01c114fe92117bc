// BLAKE2b of one message, over scalars.
#include "blake2b-word.h"
#ifdef JAVASCRIPT
#include "compress-javascript.h"
#else
#include "compress-scalars.h"
#endif
