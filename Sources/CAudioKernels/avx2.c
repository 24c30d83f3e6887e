// SPDX-License-Identifier: MIT
// The kernels with AVX2 and FMA. Blocks of 64 frames are eight sums at a time: as many as it takes to have two
// multiplications begin in every clock, each of which takes four.
#if defined(__x86_64__)
#include "private.h"
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#define CAK_NAME(name) cak_##name##_avx2
#define CAK_BLOCK 64
#include "kernels.h"
#pragma clang attribute pop
#endif
