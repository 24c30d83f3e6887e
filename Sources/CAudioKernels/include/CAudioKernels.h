// SPDX-License-Identifier: MIT
// What is done to samples in every cycle. In C with vector types as wide as a block of samples, because a debug build
// optimises neither language, and there a loop over samples costs fifty times more than one over blocks.
#pragma once
#include "cak_copy.h"
#include "cak_fade.h"
#include "cak_measure.h"
#include "cak_mix.h"
#include "cak_prepare.h"
