// SPDX-License-Identifier: MIT
// The calls into libsamplerate. Its states allocate only when they are made.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "crt_attributes.h"

// libsamplerate's state of one conversion. One thread at a time.
struct SRC_STATE_tag;

enum cac_quality {
    // Flat up to 19.1 kHz at 44.1 kHz (87 % of half of the lower rate), errors below -114 dB.
    cac_medium,
    // Flat up to 20.9 kHz at 44.1 kHz (95 %), errors below -138 dB, three times the cost.
    cac_best,
};

// A ratio is output rate over input rate, from 1/256 to 256.

// NULL without memory, or with more than 128 channels. Writes all of its memory, so that no page is first touched by the audio
// thread.
struct SRC_STATE_tag *_Nullable cac_resampler_create(enum cac_quality quality, uint32_t channel_count, double ratio);
void cac_resampler_destroy(struct SRC_STATE_tag *_Nonnull state);

// Forgets all input, and takes a ratio. It clears all of its memory: for MEDIUM 140 KB a channel, for BEST 440.
void cac_resampler_reset(struct SRC_STATE_tag *_Nonnull state, double ratio) CRT_REALTIME;

// One call, on interleaved frames.
struct cac_conversion {
    const float *_Nonnull input;
    float *_Nonnull output;
    uint32_t input_frames;  // at most; then as many as were taken
    uint32_t output_frames; // at most; then as many as were stored
    double ratio;           // of all of these frames
};

void cac_resampler_process(
    struct SRC_STATE_tag *_Nonnull state, struct cac_conversion *_Nonnull conversion) CRT_REALTIME;
