// BLAKE2s of one message, over scalars.
#include "blake2s-word.h"
#ifdef JAVASCRIPT
#include "compress-javascript.h"
#else
#include "compress-scalars.h"
#endif
