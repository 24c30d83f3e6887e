// SPDX-License-Identifier: MIT
// Part of kernels_mix.h: mixes of at least CAK_WIDTH frames (or none), in steps of that many. The last step may overlap
// the one before: those frames are stored twice.

typedef CAK_VECTOR_TYPE(CAK_WIDTH) CAK_WIDE(frames);

// All gains constant: one multiplication and addition per register, straight from memory.
static void CAK_WIDE(mix_constant)(
    float *destination, const struct cak_input *inputs, uint32_t input_count, size_t frames) CRT_NONBLOCKING {
    for (size_t done = 0; done < frames; done += CAK_WIDTH) {
        size_t first = frames - done >= CAK_WIDTH ? done : frames - CAK_WIDTH;
        CAK_WIDE(frames) sum = inputs[0].end * *(const CAK_WIDE(frames) *)(inputs[0].samples + first);
        for (uint32_t i = 1; i < input_count; i++) {
            sum += inputs[i].end * *(const CAK_WIDE(frames) *)(inputs[i].samples + first);
        }
        *(CAK_WIDE(frames) *)(destination + first) = sum;
    }
}

// The gains of one input whose ramp ends within these frames.
//
// It runs once in a ramp, so it is kept small: its use of registers would cost the loop around it in every cycle, and a
// call would be worse.
CAK_INLINE void CAK_WIDE(end_of_ramp)(float *gains, const struct cak_input *input, size_t first) {
#pragma clang loop vectorize(disable) unroll(disable)
    for (size_t i = 0; i < CAK_WIDTH; i++) {
        int64_t k = input->position + (int64_t)(first + i);
        gains[i] = k < input->length ? ramp_gain(input, k) : input->end;
    }
}

static void CAK_WIDE(mix_ramps)(
    float *destination, const struct cak_input *inputs, uint32_t input_count, size_t frames) CRT_NONBLOCKING {
    for (size_t done = 0; done < frames; done += CAK_WIDTH) {
        size_t first = frames - done >= CAK_WIDTH ? done : frames - CAK_WIDTH;
        CAK_WIDE(frames) sum = 0;
        for (uint32_t i = 0; i < input_count; i++) {
            const struct cak_input *input = &inputs[i];
            const float *samples = input->samples + first;
            int64_t k = input->position + (int64_t)first;
            if (!is_ramping(input, first)) {
                sum += input->end * *(const CAK_WIDE(frames) *)samples;
            } else if (k + CAK_WIDTH <= input->length) {
                // From the quieter end of these frames up, so that here too nothing is subtracted.
                bool rises = __builtin_fabsf(input->start) < __builtin_fabsf(input->end);
                float quiet = ramp_gain(input, rises ? k : k + CAK_WIDTH - 1);
                float change = rises ? input->end - input->start : input->start - input->end;
                float step = change / (float)(int64_t)input->length;
                const float *steps = rises ? vector_lanes : vector_lanes_backwards + 64 - CAK_WIDTH;
                // Otherwise the compiler makes two branches of it, each with all of the steps in registers.
                __asm__("" : "+r"(steps));
                sum += (quiet + step * *(const CAK_WIDE(frames) *)steps) * *(const CAK_WIDE(frames) *)samples;
            } else {
                float gains[CAK_WIDTH];
                CAK_WIDE(end_of_ramp)(gains, input, first);
                sum += *(const CAK_WIDE(frames) *)gains * *(const CAK_WIDE(frames) *)samples;
            }
        }
        *(CAK_WIDE(frames) *)(destination + first) = sum;
    }
}

#undef CAK_WIDTH
#undef CAK_WIDE
