// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>
#include "crt_attributes.h"

// Raises *peak to the largest magnitude among the samples and adds the sum of their squares to *energy. NaN counts as
// silence, so that one bad sample cannot stick in a meter. The energy is off by at most a millionth; a sample beyond
// 1e19 makes it infinite.
void cak_measure(const float *samples, uint32_t frames, float *peak, double *energy) CRT_REALTIME;

// The same of several channels together, for less than one after the other. None of them is written to.
void cak_measure_channels(
    float *const *channels, uint32_t channel_count, uint32_t frames, float *peak, double *energy) CRT_REALTIME;
