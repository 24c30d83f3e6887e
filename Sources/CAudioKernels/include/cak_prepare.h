// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>

// Which instructions the kernels are made of. All of them give the same result but for the last bits.
enum cak_implementation {
    // What every processor of the architecture has: SSE2, NEON.
    cak_baseline,
    // AVX2 and FMA.
    cak_avx2,
};

// Chooses the fastest implementation that this processor has. Before it the kernels work as well, but slower. For the
// control side; any number of times, from any thread.
void cak_prepare(void);

// Chooses an implementation, for tests and benchmarks; false, and nothing changes, if this processor does not have it.
// For the control side.
bool cak_use(enum cak_implementation implementation);
