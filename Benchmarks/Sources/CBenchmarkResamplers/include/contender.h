// SPDX-License-Identifier: MIT
// The resamplers that are compared. Samples are interleaved 32-bit floats.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct contender {
    const char *name;
    // Ends the program with a sentence if the library refuses.
    void *(*open)(uint32_t channels, uint32_t input_rate, uint32_t output_rate);
    // Takes up to `frames` and stores up to `room` frames.
    void (*process)(
        void *resampler, const float *input, size_t frames, float *output, size_t room, size_t *used, size_t *made);
    // Output rate over input rate, near the one at the beginning. NULL: it cannot be changed.
    void (*set_ratio)(void *resampler, double ratio);
    void (*close)(void *resampler);
};

extern const struct contender samplerate_best, samplerate_medium, samplerate_fastest;
extern const struct contender soxr_high, soxr_very_high, soxr_variable;
extern const struct contender speex_default, speex_equal, speex_best;
extern const struct contender pipewire_default, pipewire_best;

_Noreturn void give_up(const char *what, const char *why);
