// SPDX-License-Identifier: MIT
// The kernels with the instructions of every processor of the architecture. Blocks of 32 frames take eight registers,
// which leaves as many for the rest.
#define CAK_NAME(name) cak_##name##_baseline
#define CAK_BLOCK 32
#include "kernels.h"
