// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "cac_dither.h"
#include "crt_attributes.h"

// How a sample lies in memory: little endian, at any address.
enum cac_format {
    cac_float32,
    cac_int16,
    cac_int24, // in 3 bytes
    cac_int32,
};

// Samples of an app.
struct cac_samples {
    // Interleaved: one address. Planar: one for each channel.
    void *_Nonnull const *_Nonnull planes;
    // The frame, counted from the addresses, at which the samples begin.
    uint32_t first;
    uint32_t channel_count;
    enum cac_format format;
    bool is_interleaved;
};

// Stores frames of planar floats as an app's samples. Row i becomes channel i; a row that is NULL becomes silence.
//
// Floats are copied bit by bit. An integer of b bits is the float times 2^(b-1), rounded to the nearest, ties to even, and
// clamped: 1.0 becomes the largest integer, 32767, 8388607 or 2147483647, and -1.0 the smallest. NaN becomes 0. With dither,
// which may be NULL, 16 and 24 bits get it before they are rounded; 32 bits have finer steps than the float and do not, and
// neither does a row that is NULL.
void cac_store(
    const struct cac_samples *_Nonnull to, float *_Nullable const *_Nonnull rows, uint32_t first, uint32_t frames,
    struct cac_dither *_Nullable dither) CRT_REALTIME;

// Stores frames of an app's samples as planar floats. Channel i becomes row i; no channel is read whose row is NULL.
//
// An integer of b bits is divided by 2^(b-1), which is exact for 16 and 24 bits and rounded to the nearest for 32.
void cac_load(
    float *_Nullable const *_Nonnull rows, uint32_t first, const struct cac_samples *_Nonnull from,
    uint32_t frames) CRT_REALTIME;
