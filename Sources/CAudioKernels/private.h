// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "cak_mix.h"
#include "crt_attributes.h"

// Every kernel once for each implementation: baseline.c and avx2.c compile kernels.h with their own names.
#define CAK_DECLARE(suffix)                                                                                            \
    void cak_mix_##suffix(float *, const struct cak_input *, uint32_t, uint32_t) CRT_REALTIME;                         \
    void cak_measure_##suffix(float *const *, uint32_t, uint32_t, float *, double *) CRT_REALTIME;                     \
    void cak_copy_##suffix(float *, const float *, uint32_t) CRT_REALTIME;                                             \
    void cak_copy_uncached_##suffix(float *, const float *, uint32_t) CRT_REALTIME;                                         \
    void cak_add_##suffix(float *, const float *, uint32_t) CRT_REALTIME;                                              \
    void cak_fade_##suffix(float *, const float *, uint32_t, uint64_t, float, float) CRT_REALTIME;                     \
    void cak_decay_##suffix(float *, float, uint32_t, uint64_t, float) CRT_REALTIME;                                   \
    void cak_crossfade_##suffix(float *, const float *, const float *, uint32_t, uint64_t, float) CRT_REALTIME;

CAK_DECLARE(baseline)
#if defined(__x86_64__)
CAK_DECLARE(avx2)
#endif
