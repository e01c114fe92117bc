// BLAKE2b: 64-bit words, 12 rounds, 128-byte blocks, digests of 1 to 64 bytes.
#include "blake2b-word.h"
#include "message-exports.h"
