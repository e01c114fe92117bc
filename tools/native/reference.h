// What the kernels ought to compute, written plainly after the papers: one block at a time, with arrays for schedules, without
// anything of wasm/. fuzz.c compares the two.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Hashes a message under the parameters of wasm/*/message.h, and writes bytes of the output from byte `at` on.
void reference(const uint8_t *parameters, const uint8_t *message, size_t length, size_t at, uint8_t *out, size_t out_length);

// Of BLAKE2 (RFC 7693 section 2.7), and the first ten rows of BLAKE's.
static const uint8_t reference_sigma[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

// Which words of the state each G of a round works on: columns, then diagonals.
static const uint8_t reference_places[8][4] = {
    {0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}, {0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13}, {3, 4, 9, 14},
};
