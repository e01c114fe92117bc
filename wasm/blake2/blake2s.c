// BLAKE2s: 32-bit words, 10 rounds, 64-byte blocks, digests of 1 to 32 bytes.
#include "blake2s-word.h"
#include "message-exports.h"
