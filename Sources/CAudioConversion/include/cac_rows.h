// SPDX-License-Identifier: MIT
// Work on rows of samples, which is what channel mapping needs. The destination overlaps no source.
#pragma once
#include <stdint.h>
#include "crt_attributes.h"

// Copies `frames` samples.
void cac_copy(float *_Nonnull destination, const float *_Nonnull source, uint32_t frames) CRT_REALTIME;

// Stores zeros.
void cac_silence(float *_Nonnull destination, uint32_t frames) CRT_REALTIME;

// Stores the mean of `count` rows, 1 or more, each from its frame `first` on. They are added up in their order, then
// multiplied by 1 / count.
void cac_mean(
    float *_Nonnull destination, float *_Nullable const *_Nonnull rows, uint32_t count, uint32_t first,
    uint32_t frames) CRT_REALTIME;
