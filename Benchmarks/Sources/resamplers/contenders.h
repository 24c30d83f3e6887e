// SPDX-License-Identifier: MIT
// All resamplers, and what takes them in turn.
#pragma once
#include "contender.h"

enum { contender_count = 11 };
extern const struct contender *const contenders[contender_count];

// Nanoseconds of each per frame of output, 44.1 to 48 kHz in blocks of 256 frames: the medians of turns.
void measure_cost(double *costs, uint32_t channels);

// Calls one of them as the audio thread would, for the checker of Tests/RealtimeChecker: after a warm-up with longer blocks,
// small changes of the ratio and large ones. Returns the program's status.
int watch(const char *name);
