// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>
#include "crt_attributes.h"

// Raises *peak to the largest magnitude of the samples, and adds the sum of their squares to *energy.
//
// The peak ignores NaN. The relative error of the sum is at most a millionth.
// The energy is finite if the magnitudes of all samples are numbers below 9e17, and it is not from 1.9e19 on. A NaN sample makes it NaN.
// An infinite sample, or a square that overflows, makes it infinite.
void cak_measure(const float *samples, uint32_t frames, float *peak, double *energy) CRT_REALTIME;

// Measures several channels together, which costs less than one after the other. The channels are only read.
void cak_measure_channels(
    float *const *channels, uint32_t channel_count, uint32_t frames, float *peak, double *energy) CRT_REALTIME;
