// SPDX-License-Identifier: MIT
// The kernels' front: the choice of the implementation, and the common code.
#include "CAudioConversion.h"

#include <stdatomic.h>

#include "crt_float.h"
#include "crt_shown.h"
#include "private.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "samples are little endian, and so must the processor be"
#endif

#if defined(__x86_64__)
static _Atomic(enum cac_implementation) implementation = cac_baseline;
#define CAC_CALL(name, ...)                                                                                            \
    (atomic_load_explicit(&implementation, memory_order_relaxed) == cac_avx2 ? cac_##name##_avx2(__VA_ARGS__)          \
                                                                             : cac_##name##_baseline(__VA_ARGS__))
#else
#define CAC_CALL(name, ...) cac_##name##_baseline(__VA_ARGS__)
#endif

void cac_prepare(void) {
    if (!cac_use(cac_avx2)) {
        cac_use(cac_baseline);
    }
}

bool cac_use(enum cac_implementation wanted) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (wanted == cac_avx2 && !__builtin_cpu_supports("avx2")) {
        return false;
    }
    atomic_store_explicit(&implementation, wanted, memory_order_relaxed);
    return true;
#else
    return wanted == cac_baseline;
#endif
}

void cac_dither_seed(struct cac_dither *dither, uint64_t seed) CRT_NONBLOCKING {
    // SplitMix64 (Steele et al. 2014). A generator may have any state but 0.
    for (int i = 0; i < 32; i++) {
        seed += 0x9e3779b97f4a7c15u;
        uint64_t bits = seed;
        bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
        bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
        uint32_t state = (uint32_t)((bits ^ (bits >> 31)) >> 32);
        dither->state[i] = state != 0 ? state : 1;
    }
}

static void show_reads(float *const *rows, uint32_t count, uint32_t first, uint32_t frames) CRT_NONBLOCKING {
    for (uint32_t channel = 0; channel < count; channel++) {
        if (rows[channel] != 0) {
            crt_show_read(rows[channel] + first, frames);
        }
    }
}

void cac_store(
    const struct cac_samples *to, float *const *rows, uint32_t first, uint32_t frames,
    struct cac_dither *dither) CRT_NONBLOCKING {
    show_reads(rows, to->channel_count, first, frames);
    bool has_dither = to->format == cac_int16 || to->format == cac_int24;
    CAC_CALL(store, to, rows, first, frames, has_dither ? dither : 0);
}

void cac_load(
    float *const *rows, uint32_t first, const struct cac_samples *from, uint32_t frames) CRT_NONBLOCKING {
    for (uint32_t channel = 0; channel < from->channel_count; channel++) {
        if (rows[channel] != 0) {
            crt_show_write(rows[channel] + first, frames);
        }
    }
    CAC_CALL(load, rows, first, from, frames);
}

void cac_mean(
    float *destination, float *const *rows, uint32_t count, uint32_t first, uint32_t frames) CRT_NONBLOCKING {
    show_reads(rows, count, first, frames);
    crt_show_write(destination, frames);
    CAC_CALL(mean, destination, rows, count, first, frames);
}

void cac_copy(float *destination, const float *source, uint32_t frames) CRT_NONBLOCKING {
    float *row = (float *)source;
    crt_show_read(source, frames);
    crt_show_write(destination, frames);
    CAC_CALL(mean, destination, &row, 1, 0, frames);
}

void cac_silence(float *destination, uint32_t frames) CRT_NONBLOCKING {
    crt_clear(destination, frames);
}
