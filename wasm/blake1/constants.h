// The constants of BLAKE and its schedule as data, the same in both builds.
#pragma once
#include "../rounds/offsets.h"
#include "../rounds/sigma.h"

static const word PI[16] = {C_0, C_1, C_2, C_3, C_4, C_5, C_6, C_7, C_8, C_9, C_10, C_11, C_12, C_13, C_14, C_15};

// A round's words as offsets in bytes.
#define ROUND(...) ROW_OFFSETS(sizeof(word), __VA_ARGS__),
static const u8 SCHEDULE[10][16] = {TEN_ROUNDS};
