// SPDX-License-Identifier: MIT
// The kernels with what every processor of the architecture has. Blocks of 32 frames: eight registers, which leaves as
// many for the rest.
#define CAK_NAME(name) cak_##name##_baseline
#define CAK_BLOCK 32
#include "kernels.h"
