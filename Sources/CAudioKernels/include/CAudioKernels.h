// SPDX-License-Identifier: MIT
// The work on samples in every cycle.
//
// It is in C with vector types as wide as a block of samples: a debug build optimises neither language, and a loop over
// samples costs fifty times more there than one over blocks.
#pragma once
#include "cak_copy.h"
#include "cak_fade.h"
#include "cak_measure.h"
#include "cak_mix.h"
#include "cak_prepare.h"
