// SPDX-License-Identifier: MIT
// The attribute states what Scripts/test-realtime.sh shows: these functions of libsamplerate do not block.
#include "crt_attributes.h"

#include <samplerate.h>
#include <stddef.h>

int src_process(SRC_STATE *state, SRC_DATA *data) CRT_NONBLOCKING;
int src_reset(SRC_STATE *state) CRT_NONBLOCKING;
int src_set_ratio(SRC_STATE *state, double ratio) CRT_NONBLOCKING;

#include "cac_resampler.h"

struct SRC_STATE_tag *cac_resampler_create(enum cac_quality quality, uint32_t channel_count, double ratio) {
    int error = 0;
    int converter = quality == cac_best ? SRC_SINC_BEST_QUALITY : SRC_SINC_MEDIUM_QUALITY;
    SRC_STATE *state = src_new(converter, (int)channel_count, &error);
    if (state != NULL) {
        cac_resampler_reset(state, ratio);
    }
    return state;
}

void cac_resampler_destroy(struct SRC_STATE_tag *state) {
    src_delete(state);
}

void cac_resampler_reset(struct SRC_STATE_tag *state, double ratio) CRT_NONBLOCKING {
    src_reset(state);
    src_set_ratio(state, ratio);
}

void cac_resampler_process(struct SRC_STATE_tag *state, struct cac_conversion *conversion) CRT_NONBLOCKING {
    // src_process would move to another ratio in a line that depends on the number of frames.
    src_set_ratio(state, conversion->ratio);
    SRC_DATA data = {
        .data_in = conversion->input,
        .data_out = conversion->output,
        .input_frames = conversion->input_frames,
        .output_frames = conversion->output_frames,
        .src_ratio = conversion->ratio,
    };
    // It fails only for what the callers rule out: bad ratios, and buffers that overlap.
    const int error = src_process(state, &data);
    conversion->input_frames = error == 0 ? (uint32_t)data.input_frames_used : 0;
    conversion->output_frames = error == 0 ? (uint32_t)data.output_frames_gen : 0;
}
