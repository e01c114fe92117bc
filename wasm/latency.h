// How many cycles a vector operation takes, in builds that choose among shapes: chain() is what
// js/engine/vector-latency.ts times. The default is two on ARM64 and one on x86. Only x86 makes the NaN of 0/0
// negative, which many engines hide from JavaScript.
#pragma once
#include "memory.h"

// 64 operations, each of which waits for the one before. As one expression even baseline compilers keep them in a
// register.
#define CHAIN_2(x) (((x) + y) ^ y)
#define CHAIN_8(x) CHAIN_2(CHAIN_2(CHAIN_2(CHAIN_2(x))))
#define CHAIN_64(x) CHAIN_8(CHAIN_8(CHAIN_8(CHAIN_8(CHAIN_8(CHAIN_8(CHAIN_8(CHAIN_8(x))))))))

INLINE u32 chain_of_scalars(u32 x, u32 turns) {
  ROLLED
  for (u32 y = turns; y; y--) x = CHAIN_64(x);
  return x;
}

INLINE u32x4 chain_of_vectors(u32x4 x, u32 turns) {
  u32x4 y = x;
  ROLLED
  for (; turns; turns--) x = CHAIN_64(x);
  return x;
}

// The result only keeps compilers from removing the computation.
EXPORT(chain) u32 chain(u32 turns, u32 of_vectors) {
  return of_vectors ? chain_of_vectors(splat(turns), turns)[0] : chain_of_scalars(turns, turns);
}

__attribute__((noinline)) u32 latency_by_default(void) {
  volatile float *zero = (float *)VECTOR_LATENCY;
  *zero /= *zero;
  return *(u32 *)zero = *(volatile i32 *)zero < 0 ? 1 : 2;
}
