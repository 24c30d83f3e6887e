// SPDX-License-Identifier: MIT
// Copies of interleaved samples, quick in debug builds too. Source and destination do not overlap.
#pragma once
#include <stdint.h>
#include <string.h>
#include "crt_attributes.h"

static inline void crt_copy(
    float *_Nonnull destination, const float *_Nonnull source, uint64_t count) CRT_REALTIME {
    memcpy(destination, source, count * sizeof(float));
}

// Stores samples that lie side by side as one channel of frames of `stride` samples.
static inline void crt_scatter(
    float *_Nonnull destination, uint64_t stride, const float *_Nonnull source, uint64_t count) CRT_REALTIME {
    for (uint64_t i = 0; i < count; i++) {
        *destination = source[i];
        destination += stride;
    }
}

// The other way round.
static inline void crt_gather(
    float *_Nonnull destination, const float *_Nonnull source, uint64_t stride, uint64_t count) CRT_REALTIME {
    for (uint64_t i = 0; i < count; i++) {
        destination[i] = *source;
        source += stride;
    }
}
