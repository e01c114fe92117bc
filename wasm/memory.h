// The ABI seam, the same for every module: the fixed memory map, the head that every state begins with, and what each
// export does. js/kernel.ts states the same map; test/kernel.test.ts compares the two.
//
//   0x00400  constants, then the C stack
//   0x04000  PARAMETERS  what init() reads: the algorithm's parameter bytes, written by the caller
//   0x05000  STATE       the resident hasher
//   0x06000  ONESHOT     the state of a one-shot call
//   0x07000  ROOT        what squeeze() reads: the node that an extendable output is drawn from
//   0x07100  WORKERS     many(): the messages in progress, one in each lane
//   0x07f00  ROWS        one byte, 1 where BLAKE2 is to hash single messages over rows; else over scalars, which suit V8
//                        before 12.8 (compress/blake2-rows.h): the caller sets it where there is Promise.try, as new as that
//   0x08000  JOBS        many(): for each lane, what its slice of INPUT holds (many.h)
//   0x0c000  OUTPUT      digests
//   0x10000  INPUT       message bytes
//
// Exports:
//   init(state)                       PARAMETERS -> a fresh state
//   update(state, input, length)      absorbs bytes
//   finalize(state, length)           writes the first `length` bytes of output to OUTPUT; the state stays as it was
//   hash(inputLength, outputLength)   PARAMETERS, INPUT -> OUTPUT in one call; wipes INPUT behind itself
//   root(state)                       extendable outputs only: a state -> ROOT; the state stays as it was
//   chain(state)                      trees only: the state's chaining value as a part of a larger tree -> OUTPUT
//   join(state, count)                trees only: PARAMETERS, the chaining values of two or more neighbours in INPUT, all of
//                                     one whole size but the last -> a state to take the root or chain of; wipes INPUT
//   squeeze(low, high, length)        extendable outputs only: `length` bytes at the 64-bit position -> OUTPUT
//   many()                            BLAKE2's builds with lanes only: PARAMETERS, JOBS, INPUT -> digests in INPUT; zeroed
//                                     WORKERS start afresh
//   many(count)                       BLAKE3's build with lanes only: PARAMETERS, messages of one chunk at most in INPUT, each
//                                     from a whole block on, their lengths in JOBS -> digests in OUTPUT; wipes INPUT
//   lanes()                           how many messages many() hashes side by side
#pragma once
#include "lanes.h"

#define EXPORT(name) __attribute__((export_name(#name)))

#define PARAMETERS ((u8 *)0x4000)
#define STATE ((u8 *)0x5000)
#define ONESHOT ((u8 *)0x6000)
#define ROOT ((u8 *)0x7000)
#define WORKERS ((u8 *)0x7100)
#define WORKERS_SIZE 0x200
#define ROWS ((u8 *)0x7f00)
#define JOBS ((u8 *)0x8000)
#define JOBS_SIZE 0x1000
#define OUTPUT ((u8 *)0xc000)
#define OUTPUT_SIZE 0x4000
#define INPUT ((u8 *)0x10000)
#define INPUT_SIZE 0x10000

// The first bytes of every state. The caller reads `size` and `count` without knowing the algorithm.
typedef struct {
  u32 size;     // bytes of this state in use, head included: what a swap copies
  u32 buffered; // bytes waiting in the block buffer
  u32 prefix;   // bytes absorbed ahead of the message: a block of key, or none
  u32 flags;    // the algorithm's own
  u128 count;   // message bytes absorbed, the waiting ones included
} head;

INLINE u32 min32(u32 a, u32 b) { return a < b ? a : b; }

INLINE void copy(void *to, const void *from, u32 length) { __builtin_memcpy(to, from, length); }

// Zeroes bytes in a way that the compiler may not drop.
INLINE void wipe(void *p, u32 length) {
  __builtin_memset(p, 0, length);
  __asm__ volatile("" : : "r"(p) : "memory");
}

// A loop (LOOPS in lanes.h) finds a message's words by their index, so they lie on the C stack, and are wiped. Else they are
// locals, and leave nothing. They get there in a function of their own: the loop is up to 18 % faster for it in Bun.
#ifdef LOOPS
#define APART_FROM_LOOP NOINLINE
#define wipe_words(words) wipe(words, sizeof words)
#else
#define APART_FROM_LOOP INLINE
#define wipe_words(words)
#endif

// The runtime's start hook: these kernels have nothing to start. Weak, because several objects of a module have it.
EXPORT(_initialize) __attribute__((weak)) void _initialize(void) {}
