// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>
#include "crt_attributes.h"

// Raises *peak to the largest magnitude among the samples, NaN left out, and adds the sum of their squares to *energy,
// which is off by at most a millionth. The energy is finite exactly if all samples are numbers below 9e17: with NaN it is
// NaN, and it is infinite with infinity and where the squares of larger samples overflow.
void cak_measure(const float *samples, uint32_t frames, float *peak, double *energy) CRT_REALTIME;

// The same of several channels together, for less than one after the other. None of them is written to.
void cak_measure_channels(
    float *const *channels, uint32_t channel_count, uint32_t frames, float *peak, double *energy) CRT_REALTIME;
