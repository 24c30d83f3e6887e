// SPDX-License-Identifier: MIT
// Part of kernels.h.

// The raised cosine of t, (first + direction * lane) * scale in each vector lane, as the square of sin(t * pi / 2):
// never negative, and as exact near 0 as anywhere. The polynomial is the best odd one of its degree for t from 0 to 1
// (Remez), off by 3.4e-9.
CAK_INLINE void raised_cosine(block *result, float first, float direction, float scale) {
    block t = (first + direction * CAK_CONST_AT(vector_lanes)) * scale;
    block square = t * t;
    block sine = 1.5082056e-4f * square - 4.6722279e-3f;
    sine = sine * square + 7.9688481e-2f;
    sine = sine * square - 6.4596336e-1f;
    sine = sine * square + 1.5707963f;
    sine = sine * t;
    *result = sine * sine;
}

// `frames` frames of a fade, none of them beyond its end: t is step * scale, where the step begins at `step` and goes
// on in `direction`, 1 or -1. A fade-out is a fade-in backwards.
void CAK_NAME(fade)(
    float *destination, const float *source, uint32_t frames, uint64_t step, float direction,
    float scale) CRT_NONBLOCKING {
    block curve;
    uint32_t done = 0;
    for (; frames - done >= CAK_BLOCK; done += CAK_BLOCK) {
        float first = (float)(direction > 0 ? step + done : step - done);
        raised_cosine(&curve, first, direction, scale);
        CAK_AT(destination + done) = curve * CAK_CONST_AT(source + done);
    }
    if (done < frames) {
        float few[CAK_BLOCK] = {0};
        copy_few(few, source + done, frames - done);
        float first = (float)(direction > 0 ? step + done : step - done);
        raised_cosine(&curve, first, direction, scale);
        CAK_AT(few) *= curve;
        copy_few(destination + done, few, frames - done);
    }
}

// The fade-out of a constant.
void CAK_NAME(decay)(float *destination, float last, uint32_t frames, uint64_t step, float scale) CRT_NONBLOCKING {
    block curve;
    uint32_t done = 0;
    for (; frames - done >= CAK_BLOCK; done += CAK_BLOCK) {
        raised_cosine(&curve, (float)(step - done), -1, scale);
        CAK_AT(destination + done) = last * curve;
    }
    if (done < frames) {
        float few[CAK_BLOCK];
        raised_cosine(&curve, (float)(step - done), -1, scale);
        CAK_AT(few) = last * curve;
        copy_few(destination + done, few, frames - done);
    }
}

void CAK_NAME(crossfade)(
    float *destination, const float *from, const float *to, uint32_t frames, uint64_t step,
    float scale) CRT_NONBLOCKING {
    block curve;
    uint32_t done = 0;
    for (; frames - done >= CAK_BLOCK; done += CAK_BLOCK) {
        raised_cosine(&curve, (float)(step + done), 1, scale);
        block before = CAK_CONST_AT(from + done);
        CAK_AT(destination + done) = before + (CAK_CONST_AT(to + done) - before) * curve;
    }
    if (done < frames) {
        float few[CAK_BLOCK] = {0};
        float few_to[CAK_BLOCK] = {0};
        copy_few(few, from + done, frames - done);
        copy_few(few_to, to + done, frames - done);
        raised_cosine(&curve, (float)(step + done), 1, scale);
        CAK_AT(few) += (CAK_CONST_AT(few_to) - CAK_CONST_AT(few)) * curve;
        copy_few(destination + done, few, frames - done);
    }
}
