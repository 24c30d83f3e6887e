// SPDX-License-Identifier: MIT
// Part of kernels.h.

CAK_INLINE bool is_ramping(const struct cak_input *input, uint64_t frame) {
    return input->position + frame < input->length && input->start != input->end;
}

// The gain of frame k of a ramp that is not over. Of terms that are not negative, unlike start + (end - start) * k /
// length, which at the end of a fade to silence is the difference of two large numbers. Signed integers become floating
// point in one instruction.
CAK_INLINE float ramp_gain(const struct cak_input *input, int64_t k) {
    return (input->start * (float)(input->length - k) + input->end * (float)k) / (float)(int64_t)input->length;
}

// The rest of a mix that is less than a block: narrower blocks, and then single frames.
#define CAK_WIDTH CAK_BLOCK
#define CAK_WIDE(name) name##_block
#include "kernels_mix_width.h"
#define CAK_WIDTH 8
#define CAK_WIDE(name) name##_eight
#include "kernels_mix_width.h"
#define CAK_WIDTH 1
#define CAK_WIDE(name) name##_one
#include "kernels_mix_width.h"

void CAK_NAME(mix)(
    float *destination, const struct cak_input *inputs, uint32_t input_count, uint32_t frames) CRT_NONBLOCKING {
    bool ramping = false;
    for (uint32_t i = 0; i < input_count; i++) {
        ramping |= is_ramping(&inputs[i], 0);
    }
    if (frames >= CAK_BLOCK) {
        (ramping ? mix_ramps_block : mix_constant_block)(destination, inputs, input_count, frames);
    } else if (frames >= 8) {
        (ramping ? mix_ramps_eight : mix_constant_eight)(destination, inputs, input_count, frames);
    } else {
        (ramping ? mix_ramps_one : mix_constant_one)(destination, inputs, input_count, frames);
    }
}

void CAK_NAME(add)(float *destination, const float *source, uint32_t frames) CRT_NONBLOCKING {
    while (frames >= CAK_BLOCK) {
        CAK_AT(destination) = CAK_AT(destination) + CAK_CONST_AT(source);
        destination += CAK_BLOCK;
        source += CAK_BLOCK;
        frames -= CAK_BLOCK;
    }
    for (uint32_t i = 0; i < frames; i++) {
        destination[i] += source[i];
    }
}
