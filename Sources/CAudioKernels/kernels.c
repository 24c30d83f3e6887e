// SPDX-License-Identifier: MIT
// The kernels' front: the choice of the implementation, and the common code.
#include "CAudioKernels.h"

#include <stdatomic.h>

#include "crt_float.h"
#include "crt_shown.h"
#include "private.h"

#if defined(__x86_64__)
static _Atomic(enum cak_implementation) implementation = cak_baseline;
#define CAK_CALL(name, ...)                                                                                            \
    (atomic_load_explicit(&implementation, memory_order_relaxed) == cak_avx2 ? cak_##name##_avx2(__VA_ARGS__)          \
                                                                             : cak_##name##_baseline(__VA_ARGS__))
#else
#define CAK_CALL(name, ...) cak_##name##_baseline(__VA_ARGS__)
#endif

void cak_prepare(void) {
    if (!cak_use(cak_avx2)) {
        cak_use(cak_baseline);
    }
}

bool cak_use(enum cak_implementation wanted) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (wanted == cak_avx2 && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))) {
        return false;
    }
    atomic_store_explicit(&implementation, wanted, memory_order_relaxed);
    return true;
#else
    return wanted == cak_baseline;
#endif
}

void cak_mix(
    float *destination, const struct cak_input *inputs, uint32_t input_count, uint32_t frames) CRT_NONBLOCKING {
    if (input_count == 0) {
        crt_clear(destination, frames);
        return;
    }
    for (uint32_t i = 0; i < input_count; i++) {
        crt_show_read(inputs[i].samples, frames);
    }
    crt_show_write(destination, frames);
    // Bit by bit, because a multiplication by 1 changes denormal numbers while they are flushed to zero.
    bool is_constant = inputs[0].position >= inputs[0].length || inputs[0].start == inputs[0].end;
    if (input_count == 1 && is_constant && inputs[0].end == 1) {
        CAK_CALL(copy, destination, inputs[0].samples, frames);
        return;
    }
    CAK_CALL(mix, destination, inputs, input_count, frames);
}

void cak_measure(const float *samples, uint32_t frames, float *peak, double *energy) CRT_NONBLOCKING {
    float *channel = (float *)samples;
    CAK_CALL(measure, &channel, 1, frames, peak, energy);
}

void cak_measure_channels(
    float *const *channels, uint32_t channel_count, uint32_t frames, float *peak, double *energy) CRT_NONBLOCKING {
    CAK_CALL(measure, channels, channel_count, frames, peak, energy);
}

static void show(float *destination, const float *source, uint32_t frames) CRT_NONBLOCKING {
    crt_show_read(source, frames);
    crt_show_write(destination, frames);
}

void cak_copy(float *destination, const float *source, uint32_t frames) CRT_NONBLOCKING {
    show(destination, source, frames);
    CAK_CALL(copy, destination, source, frames);
}

void cak_add(float *destination, const float *source, uint32_t frames) CRT_NONBLOCKING {
    show(destination, source, frames);
    CAK_CALL(add, destination, source, frames);
}

void cak_copy_uncached(float *destination, const float *source, uint32_t frames) CRT_NONBLOCKING {
    show(destination, source, frames);
    CAK_CALL(copy_uncached, destination, source, frames);
}

// Number of frames before the last step of a fade: from that step on the result is exact.
static uint32_t frames_inside(uint32_t frames, uint32_t position, uint32_t length) CRT_NONBLOCKING {
    uint32_t inside = position < length ? length - position - 1 : 0;
    return inside < frames ? inside : frames;
}

static void copy_unless_same(float *destination, const float *source, uint32_t frames) CRT_NONBLOCKING {
    if (destination != source) {
        CAK_CALL(copy, destination, source, frames);
    }
}

void cak_fade_in(
    float *destination, const float *source, uint32_t frames, uint32_t position, uint32_t length) CRT_NONBLOCKING {
    show(destination, source, frames);
    uint32_t inside = frames_inside(frames, position, length);
    if (inside > 0) {
        CAK_CALL(fade, destination, source, inside, (uint64_t)position + 1, 1, 1 / (float)length);
    }
    copy_unless_same(destination + inside, source + inside, frames - inside);
}

void cak_fade_out(
    float *destination, const float *source, uint32_t frames, uint32_t position, uint32_t length) CRT_NONBLOCKING {
    show(destination, source, frames);
    uint32_t inside = frames_inside(frames, position, length);
    if (inside > 0) {
        CAK_CALL(fade, destination, source, inside, (uint64_t)length - position - 1, -1, 1 / (float)length);
    }
    crt_clear(destination + inside, frames - inside);
}

void cak_decay(float *destination, float last, uint32_t frames, uint32_t position, uint32_t length) CRT_NONBLOCKING {
    crt_show_write(destination, frames);
    uint32_t inside = frames_inside(frames, position, length);
    if (inside > 0) {
        CAK_CALL(decay, destination, last, inside, (uint64_t)length - position - 1, 1 / (float)length);
    }
    crt_clear(destination + inside, frames - inside);
}

void cak_crossfade(
    float *destination, const float *from, const float *to, uint32_t frames, uint32_t position,
    uint32_t length) CRT_NONBLOCKING {
    crt_show_read(from, frames);
    show(destination, to, frames);
    uint32_t inside = frames_inside(frames, position, length);
    if (inside > 0) {
        CAK_CALL(crossfade, destination, from, to, inside, (uint64_t)position + 1, 1 / (float)length);
    }
    copy_unless_same(destination + inside, to + inside, frames - inside);
}
