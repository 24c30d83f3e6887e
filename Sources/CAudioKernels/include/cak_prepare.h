// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>

// The instructions that the kernels use. All of them give the same result except for the last bits.
enum cak_implementation {
    // The instructions of every processor of the architecture: SSE2, NEON.
    cak_baseline,
    // AVX2 and FMA.
    cak_avx2,
};

// Chooses the fastest implementation for this processor. Idempotent. Without it the kernels work, but slower. For the
// control side, any thread.
void cak_prepare(void);

// Chooses an implementation, for tests and benchmarks. Without effect, and false, if this processor does not have it.
// For the control side.
bool cak_use(enum cak_implementation implementation);
