// SPDX-License-Identifier: MIT
#include "formats.h"

#include <math.h>

static inline int32_t clamped(float sample, float scale) {
    float value = sample * scale;
    value = value < -scale ? -scale : value;
    value = value > scale - 1 ? scale - 1 : value;
    // A comparison with NaN is false.
    value = value == value ? value : 0;
    return (int32_t)rintf(value);
}

static inline void put24(uint8_t *to, int32_t value) {
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
    to[2] = (uint8_t)(value >> 16);
}

static inline float get24(const uint8_t *from) {
    uint32_t word = (uint32_t)from[0] << 8 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 24;
    return (float)((int32_t)word >> 8) * 0x1p-23f;
}

void formats_store_float(
    float *restrict to, const float *restrict left, const float *restrict right, size_t frames) {
    for (size_t i = 0; i < frames; i++) {
        to[2 * i] = left[i];
        to[2 * i + 1] = right[i];
    }
}

void formats_store_int16(
    int16_t *restrict to, const float *restrict left, const float *restrict right, size_t frames) {
    for (size_t i = 0; i < frames; i++) {
        to[2 * i] = (int16_t)clamped(left[i], 0x1p15f);
        to[2 * i + 1] = (int16_t)clamped(right[i], 0x1p15f);
    }
}

void formats_store_int24(
    uint8_t *restrict to, const float *restrict left, const float *restrict right, size_t frames) {
    for (size_t i = 0; i < frames; i++) {
        put24(to + 6 * i, clamped(left[i], 0x1p23f));
        put24(to + 6 * i + 3, clamped(right[i], 0x1p23f));
    }
}

void formats_load_float(float *restrict left, float *restrict right, const float *restrict from, size_t frames) {
    for (size_t i = 0; i < frames; i++) {
        left[i] = from[2 * i];
        right[i] = from[2 * i + 1];
    }
}

void formats_load_int16(float *restrict left, float *restrict right, const int16_t *restrict from, size_t frames) {
    for (size_t i = 0; i < frames; i++) {
        left[i] = (float)from[2 * i] * 0x1p-15f;
        right[i] = (float)from[2 * i + 1] * 0x1p-15f;
    }
}

void formats_load_int24(float *restrict left, float *restrict right, const uint8_t *restrict from, size_t frames) {
    for (size_t i = 0; i < frames; i++) {
        left[i] = get24(from + 6 * i);
        right[i] = get24(from + 6 * i + 3);
    }
}
