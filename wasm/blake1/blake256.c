// BLAKE-224 and BLAKE-256: 32-bit words, 14 rounds, 64-byte blocks, a 16-byte salt.
#include "blake256-word.h"
#include "mode.h"
