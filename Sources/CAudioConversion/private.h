// SPDX-License-Identifier: MIT
#pragma once
#include "CAudioConversion.h"

// Every kernel once for each implementation: baseline.c and avx2.c compile kernels.h with their own names.
#define CAC_DECLARE(suffix)                                                                                            \
    void cac_store_##suffix(                                                                                           \
        const struct cac_samples *, float *const *, uint32_t, uint32_t, struct cac_dither *) CRT_REALTIME;             \
    void cac_load_##suffix(float *const *, uint32_t, const struct cac_samples *, uint32_t) CRT_REALTIME;               \
    void cac_mean_##suffix(float *, float *const *, uint32_t, uint32_t, uint32_t) CRT_REALTIME;

CAC_DECLARE(baseline)
#if defined(__x86_64__)
CAC_DECLARE(avx2)
#endif
