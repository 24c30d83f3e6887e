// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>

// The instructions that the kernels use. All of them give the same bits.
enum cac_implementation {
    // The instructions of every processor of the architecture: SSE2, NEON.
    cac_baseline,
    // AVX2.
    cac_avx2,
};

// Chooses the fastest implementation for this processor. Idempotent. Without it the kernels work, but slower. For the
// control side, any thread.
void cac_prepare(void);

// Chooses an implementation, for tests and benchmarks. Without effect, and false, if this processor does not have it.
// For the control side.
bool cac_use(enum cac_implementation implementation);
