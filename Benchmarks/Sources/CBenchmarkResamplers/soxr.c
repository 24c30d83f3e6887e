// SPDX-License-Identifier: MIT
#include <soxr.h>
#include <stddef.h>
#include "contender.h"

static void *open_quality(
    unsigned long recipe, unsigned long flags, uint32_t channels, uint32_t input_rate, uint32_t output_rate) {
    soxr_error_t error = NULL;
    soxr_quality_spec_t quality = soxr_quality_spec(recipe, flags);
    // With a variable ratio the rates are the largest ratio of input to output, and 1.
    bool is_variable = flags & SOXR_VR;
    double ratio = (double)input_rate / output_rate;
    soxr_t resampler = soxr_create(
        is_variable ? 2 * ratio : input_rate, is_variable ? 1 : output_rate, channels, &error, NULL, &quality, NULL);
    if (resampler != NULL && is_variable) {
        error = soxr_set_io_ratio(resampler, ratio, 0);
    }
    if (error != NULL) {
        give_up("soxr", error);
    }
    return resampler;
}

static void *open_high(uint32_t channels, uint32_t input_rate, uint32_t output_rate) {
    return open_quality(SOXR_HQ, 0, channels, input_rate, output_rate);
}

static void *open_very_high(uint32_t channels, uint32_t input_rate, uint32_t output_rate) {
    return open_quality(SOXR_VHQ, 0, channels, input_rate, output_rate);
}

static void *open_variable(uint32_t channels, uint32_t input_rate, uint32_t output_rate) {
    return open_quality(SOXR_HQ, SOXR_VR, channels, input_rate, output_rate);
}

static void process(
    void *resampler, const float *input, size_t frames, float *output, size_t room, size_t *used, size_t *made) {
    soxr_error_t error = soxr_process(resampler, input, frames, used, output, room, made);
    if (error != NULL) {
        give_up("soxr", error);
    }
}

static void set_ratio(void *resampler, double ratio) {
    soxr_error_t error = soxr_set_io_ratio(resampler, 1 / ratio, 256);
    if (error != NULL) {
        give_up("soxr", error);
    }
}

static void close_it(void *resampler) {
    soxr_delete(resampler);
}

const struct contender soxr_high = {"soxr HQ", open_high, process, NULL, close_it};
const struct contender soxr_very_high = {"soxr VHQ", open_very_high, process, NULL, close_it};
const struct contender soxr_variable = {"soxr HQ, variable", open_variable, process, set_ratio, close_it};
