// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>
#include "crt_attributes.h"

// The random numbers of a stream's dither: a generator for each frame of a block (xorshift, Marsaglia 2003, with the shifts
// 13, 17 and 5).
//
// Dither is the sum of two of them, each evenly distributed over one step of the integer format: so its density is a triangle
// from -1 to 1 step. It makes the error of the rounding a noise whose mean and power do not depend on the signal.
struct cac_dither {
    uint32_t state[32];
};

// Equal seeds give equal numbers. Any seed will do.
void cac_dither_seed(struct cac_dither *dither, uint64_t seed) CRT_REALTIME;
