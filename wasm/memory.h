// The memory map and the ABI, the same for every hashing kernel: the head that every state begins with, and what each
// export does. js/engine/memory.ts has the same map.
//
//   0x00400  constants, then the C stack
//   0x04000  PARAMETERS  what init() reads: the algorithm's parameter bytes, written by the caller
//   0x05000  STATE       the state that a call computes with
//   0x06000  ONESHOT     the state of hash()
//   0x07000  ROOT        what squeeze() reads: the node that an extendable output comes from
//   0x08000  JOBS        what many() reads: the length of each message
//   0x09000  VECTOR_LATENCY  a byte that chooses among shapes: 1 where a vector operation takes one cycle, 2 where it
//                        takes two; if it is 0, a kernel writes what is usual on the processor
//   0x0c000  OUTPUT      digests
//   0x10000  INPUT       message bytes
//
// Exports:
//   init(state)                       PARAMETERS -> a fresh state
//   update(state, input, length)      adds bytes of INPUT to the message
//   finalize(state, length)           writes the first `length` bytes of output to OUTPUT; the state stays as it was
//   hash(inputLength, outputLength)   PARAMETERS, INPUT -> OUTPUT in one call; wipes the message from INPUT. BLAKE and
//                                     BLAKE2 know the length of their output: they ignore what is passed, here and in
//                                     finalize
//   root(state)                       extendable outputs only: a state -> ROOT; the state stays as it was
//   squeeze(low, high, length)        extendable outputs only: `length` bytes at the 64-bit position -> OUTPUT
//   many(count)                       BLAKE3's and BLAKE2s's builds with lanes only: PARAMETERS, messages in INPUT,
//                                     each starting at a whole block, their lengths in JOBS -> digests of 32 bytes in
//                                     OUTPUT; wipes INPUT. Messages of BLAKE3 have at most one chunk, those of BLAKE2s
//                                     at least one byte
//   chain(turns, ofVectors)           builds that read VECTOR_LATENCY only: takes time, and changes nothing (latency.h)
#pragma once
#include "words.h"

#define EXPORT(name) __attribute__((export_name(#name)))

#define PARAMETERS ((u8 *)0x4000)
#define STATE ((u8 *)0x5000)
#define ONESHOT ((u8 *)0x6000)
#define ROOT ((u8 *)0x7000)
#define JOBS ((u8 *)0x8000)
#define JOBS_SIZE 0x1000
#define VECTOR_LATENCY ((u8 *)0x9000)
#define OUTPUT ((u8 *)0xc000)
#define OUTPUT_SIZE 0x4000
#define INPUT ((u8 *)0x10000)
#define INPUT_SIZE 0x10000

// The first bytes of every state. The caller reads `size` and `count` without knowing the algorithm.
typedef struct {
  u32 size;     // bytes of this state that are in use, head included: what JavaScript copies
  u32 buffered; // bytes waiting in the block buffer
  u32 prefix;   // bytes that come before the message: a block of key, or none
  u32 flags;    // the algorithm's own
  u128 count;   // message bytes so far, the waiting ones included
} head;

INLINE u32 min32(u32 a, u32 b) { return a < b ? a : b; }

// Checks of the debug build (build.mjs --debug), which trap; in other builds they are nothing.
#ifdef DEBUG
#define require(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define require(condition) ((void)sizeof(condition))
#endif

// The two areas that a state can be in.
INLINE void require_state(const void *state) { require(state == STATE || state == ONESHOT); }

// What update() and hash() are told to read, and finalize() and squeeze() to write.
INLINE void require_input(const u8 *input, u32 length) {
  require(input >= INPUT && length <= INPUT_SIZE && (u32)(input - INPUT) <= INPUT_SIZE - length);
}
INLINE void require_output(u32 length) { require(length <= OUTPUT_SIZE); }

// Bytes that are read or written lie in the one area of the map in which they start. A kernel that works in its user's
// memory (NO_MAP) has no areas.
#if defined(DEBUG) && !defined(NO_MAP)
INLINE void require_area(const void *from, u32 length) {
  const u8 *const ends[] = {
      PARAMETERS, STATE, ONESHOT, ROOT, JOBS, JOBS + JOBS_SIZE, OUTPUT, OUTPUT + OUTPUT_SIZE, INPUT + INPUT_SIZE,
  };
  u32 i = 0;
  if (!length) return;
  while ((const u8 *)from >= ends[i]) require(++i < sizeof ends / sizeof *ends);
  require(length <= (u32)(ends[i] - (const u8 *)from));
}
#else
#define require_area(from, length) ((void)(from), (void)(length))
#endif

// If it knew a length, clang would move byte after byte where JavaScript needs aligned words, instead of a call.
#ifdef JAVASCRIPT
#define call_length opaque
#else
#define call_length
#endif

INLINE void copy(void *to, const void *from, u32 length) {
  require_area(to, length);
  require_area(from, length);
  __builtin_memcpy(to, from, call_length(length));
}

// Zeroes bytes in a way that the compiler cannot leave out.
INLINE void wipe(void *p, u32 length) {
  require_area(p, length);
  __builtin_memset(p, 0, call_length(length));
  __asm__ volatile("" : : "r"(p) : "memory");
}

// The runtime's start hook: a kernel has nothing to start. Weak, because several objects of a module define it.
EXPORT(_initialize) __attribute__((weak)) void _initialize(void) {}
