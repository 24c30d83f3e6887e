// SPDX-License-Identifier: MIT
#include <math.h>
#include <speex/speex_resampler.h>
#include <stddef.h>
#include "contender.h"

static void *open_quality(int quality, uint32_t channels, uint32_t input_rate, uint32_t output_rate) {
    int error = 0;
    SpeexResamplerState *state = speex_resampler_init(channels, input_rate, output_rate, quality, &error);
    if (state == NULL) {
        give_up("speexdsp", speex_resampler_strerror(error));
    }
    return state;
}

static void *open_default(uint32_t channels, uint32_t input_rate, uint32_t output_rate) {
    return open_quality(SPEEX_RESAMPLER_QUALITY_DESKTOP, channels, input_rate, output_rate);
}

static void *open_equal(uint32_t channels, uint32_t input_rate, uint32_t output_rate) {
    return open_quality(9, channels, input_rate, output_rate);
}

static void *open_best(uint32_t channels, uint32_t input_rate, uint32_t output_rate) {
    return open_quality(SPEEX_RESAMPLER_QUALITY_MAX, channels, input_rate, output_rate);
}

static void process(
    void *state, const float *input, size_t frames, float *output, size_t room, size_t *used, size_t *made) {
    spx_uint32_t taken = (spx_uint32_t)frames, stored = (spx_uint32_t)room;
    int error = speex_resampler_process_interleaved_float(state, input, &taken, output, &stored);
    if (error != 0) {
        give_up("speexdsp", speex_resampler_strerror(error));
    }
    *used = taken;
    *made = stored;
}

// The largest denominator that it takes on and on: products of two must fit into 32 bits. A step is then 17 ppm.
static void set_ratio(void *state, double ratio) {
    spx_uint32_t input_rate, output_rate;
    speex_resampler_get_rate(state, &input_rate, &output_rate);
    const spx_uint32_t denominator = 60000;
    int error = speex_resampler_set_rate_frac(
        state, (spx_uint32_t)lround(denominator / ratio), denominator, input_rate, output_rate);
    if (error != 0) {
        give_up("speexdsp", speex_resampler_strerror(error));
    }
}

static void close_it(void *state) {
    speex_resampler_destroy(state);
}

const struct contender speex_default = {"speexdsp 5", open_default, process, set_ratio, close_it};
const struct contender speex_equal = {"speexdsp 9", open_equal, process, set_ratio, close_it};
const struct contender speex_best = {"speexdsp 10", open_best, process, set_ratio, close_it};
