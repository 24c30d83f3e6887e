// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>
#include "crt_attributes.h"

// One source of a mix, with a linear gain ramp.
//
// The ramp goes from `start` to `end` over `length` frames, of which `position` have passed. The gain of frame i is
// start + (end - start) * (position + i) / length. After the ramp the gain is exactly `end`. With a length of 0 the
// gain is `end`.
struct cak_input {
    const float *samples;
    float start;
    float end;
    uint32_t position;
    uint32_t length;
};

// Stores the sum of all inputs, each times its gain. Without inputs it stores silence.
//
// The destination overlaps none of the inputs. One input at a constant gain of 1 is copied bit by bit.
// The error is at most a millionth of the sum of the magnitudes of all terms. The bound includes the quiet end of a
// ramp to zero. It requires that `start` and `end` do not have opposite signs.
void cak_mix(float *destination, const struct cak_input *inputs, uint32_t input_count, uint32_t frames) CRT_REALTIME;

// Adds samples to those of the destination; the two do not overlap.
void cak_add(float *destination, const float *source, uint32_t frames) CRT_REALTIME;
