// SPDX-License-Identifier: MIT
// Conversions of stereo sound in plain loops, for the compiler to optimise as far as it can: planar floats to interleaved integers
// of an app and back. As the library's: rounded to the nearest, clamped, and 0 for NaN.
#pragma once
#include <stddef.h>
#include <stdint.h>

void formats_store_float(float *_Nonnull to, const float *_Nonnull left, const float *_Nonnull right, size_t frames);
void formats_store_int16(int16_t *_Nonnull to, const float *_Nonnull left, const float *_Nonnull right, size_t frames);
// In 3 bytes.
void formats_store_int24(uint8_t *_Nonnull to, const float *_Nonnull left, const float *_Nonnull right, size_t frames);

void formats_load_float(float *_Nonnull left, float *_Nonnull right, const float *_Nonnull from, size_t frames);
void formats_load_int16(float *_Nonnull left, float *_Nonnull right, const int16_t *_Nonnull from, size_t frames);
void formats_load_int24(float *_Nonnull left, float *_Nonnull right, const uint8_t *_Nonnull from, size_t frames);
