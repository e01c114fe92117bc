// Included before each file of a kernel: makes it a program of the host. Each area of the memory map is an object of
// its own, so that a sanitizer sees a byte that is read or written beyond it.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef SIMD
#define __wasm_simd128__ 1
#include "wasm_simd128.h"
#endif

#include "../../../wasm/memory.h"

#undef EXPORT
#define EXPORT(name)
#undef PARAMETERS
#undef STATE
#undef ONESHOT
#undef ROOT
#undef JOBS
#undef VECTOR_LATENCY
#undef OUTPUT
#undef INPUT
#define PARAMETERS area_parameters
#define STATE area_state
#define ONESHOT area_oneshot
#define ROOT area_root
#define JOBS area_jobs
#ifndef LATENCY
#define LATENCY 2
#endif
#define VECTOR_LATENCY ((u8[]){LATENCY})
#define OUTPUT area_output
#define INPUT area_input

// js/engine/memory.ts has the sizes that are in use.
#define AREAS(area)       \
  area(parameters, 0x100) \
  area(state, 0x1000)     \
  area(oneshot, 0x1000)   \
  area(root, 0x100)       \
  area(jobs, 0x1000)      \
  area(output, 0x4000)    \
  area(input, 0x10000)
#define DECLARE(name, size) extern u8 area_##name[size];
AREAS(DECLARE)

#if defined(SIMD) && defined(MANY)
// The lanes of BLAKE3's many() advance four addresses as a vector of words. Here an address has two: the areas are far
// from a multiple of 4 GiB (driver.c checks that), so the upper one stays.
static inline u32x4 load_addresses(const u8 *const *p) {
  return (u32x4){(u32)(uintptr_t)p[0], (u32)(uintptr_t)p[1], (u32)(uintptr_t)p[2], (u32)(uintptr_t)p[3]};
}
static inline void store_addresses(const u8 **p, u32x4 low) {
  for (int i = 0; i < 4; i++) p[i] += (i32)(low[i] - (u32)(uintptr_t)p[i]);
}
#define load_u32x4(p) _Generic((p), const u8 **: load_addresses, default: load_u32x4)((const void *)(p))
#define store_u32x4(p, x) _Generic((p), const u8 **: store_addresses, default: store_u32x4)((void *)(p), x)
#endif

// Where the decoder of texts keeps the places of locals.
static unsigned char LOCALS_AT[256];
