// SPDX-License-Identifier: MIT
// The kernels with the instructions of every processor of the architecture.
#define CAC_NAME(name) cac_##name##_baseline
#include "kernels.h"
