// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>
#include "crt_attributes.h"

// One source of a mix, with a gain that goes from `start` to `end` in a straight line of `length` frames, of which
// `position` have passed: frame i has start + (end - start) * (position + i) / length, and from the end of the line on
// exactly `end`. With a length of 0 the gain is `end`.
struct cak_input {
    const float *samples;
    float start;
    float end;
    uint32_t position;
    uint32_t length;
};

// Stores the sum of all inputs, each times its gain; silence if there are none. The destination overlaps none of them.
// One input at a constant gain of 1 is copied bit by bit.
//
// Off by at most a millionth of the sum of the magnitudes of what is added, at the quiet end of a ramp to zero too, as
// long as start and end do not have opposite signs.
void cak_mix(float *destination, const struct cak_input *inputs, uint32_t input_count, uint32_t frames) CRT_REALTIME;
