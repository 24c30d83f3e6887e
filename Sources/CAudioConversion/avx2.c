// SPDX-License-Identifier: MIT
// The kernels with AVX2. Without FMA: all implementations give the same bits.
#if defined(__x86_64__)
#include "private.h"
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#define CAC_NAME(name) cac_##name##_avx2
#include "kernels.h"
#pragma clang attribute pop
#endif
