// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>

// A latency: the sum of the three counts.
struct pbpw_latency {
    double cycles;
    int64_t frames;
    int64_t nanoseconds;
};
