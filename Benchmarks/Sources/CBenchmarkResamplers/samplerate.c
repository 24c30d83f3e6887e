// SPDX-License-Identifier: MIT
#include <samplerate.h>
#include <stdlib.h>
#include "contender.h"

struct resampler {
    SRC_STATE *state;
    double ratio;
};

static void *open_quality(int quality, uint32_t channels, uint32_t input_rate, uint32_t output_rate) {
    int error = 0;
    struct resampler *resampler = calloc(1, sizeof *resampler);
    resampler->state = src_new(quality, (int)channels, &error);
    if (resampler->state == NULL) {
        give_up("libsamplerate", src_strerror(error));
    }
    resampler->ratio = (double)output_rate / input_rate;
    // Clears its memory, so that no page is first touched later.
    src_reset(resampler->state);
    return resampler;
}

static void *open_best(uint32_t channels, uint32_t input_rate, uint32_t output_rate) {
    return open_quality(SRC_SINC_BEST_QUALITY, channels, input_rate, output_rate);
}

static void *open_medium(uint32_t channels, uint32_t input_rate, uint32_t output_rate) {
    return open_quality(SRC_SINC_MEDIUM_QUALITY, channels, input_rate, output_rate);
}

static void *open_fastest(uint32_t channels, uint32_t input_rate, uint32_t output_rate) {
    return open_quality(SRC_SINC_FASTEST, channels, input_rate, output_rate);
}

static void process(
    void *opaque, const float *input, size_t frames, float *output, size_t room, size_t *used, size_t *made) {
    struct resampler *resampler = opaque;
    // It moves to a new ratio over the frames of output that it is asked for: they must be about as many as there will be.
    size_t expected = (size_t)((double)frames * resampler->ratio) + 1;
    room = room < expected ? room : expected;
    SRC_DATA data = {
        .data_in = input,
        .data_out = output,
        .input_frames = (long)frames,
        .output_frames = (long)room,
        .src_ratio = resampler->ratio,
    };
    int error = src_process(resampler->state, &data);
    if (error != 0) {
        give_up("libsamplerate", src_strerror(error));
    }
    *used = (size_t)data.input_frames_used;
    *made = (size_t)data.output_frames_gen;
}

static void set_ratio(void *opaque, double ratio) {
    struct resampler *resampler = opaque;
    resampler->ratio = ratio;
}

static void close_it(void *opaque) {
    struct resampler *resampler = opaque;
    src_delete(resampler->state);
    free(resampler);
}

const struct contender samplerate_best = {"libsamplerate BEST", open_best, process, set_ratio, close_it};
const struct contender samplerate_medium = {"libsamplerate MEDIUM", open_medium, process, set_ratio, close_it};
const struct contender samplerate_fastest = {"libsamplerate FASTEST", open_fastest, process, set_ratio, close_it};
