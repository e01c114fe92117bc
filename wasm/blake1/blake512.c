// BLAKE-384 and BLAKE-512: 64-bit words, 16 rounds, 128-byte blocks, a 32-byte salt.
#include "blake512-word.h"
#include "mode.h"
