// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stdint.h>

// One graph cycle: the time, and a buffer for each channel. Valid only during the call that passes it.
struct crt_cycle {
    uint64_t position;    // of the first frame, on the graph's clock; jumps when the driver changes
    uint64_t nanoseconds; // CLOCK_MONOTONIC at the start of the cycle
    uint32_t frames;
    uint32_t rate;
    uint32_t clock; // which clock it is: changes with the driver
    bool is_freewheeling;
    bool is_discontinuous; // PipeWire itself says so (newer versions do), or the graph overtook the last cycle
    // A pointer for each channel (PipeWire port) in the order in which they were added, NULL where PipeWire gave no
    // buffer or one too small.
    //
    // An output holds sound of an earlier cycle. The body writes all of it, at least silence, also in a cycle that it
    // skips. The body may replace the pointers.
    float *_Nullable *_Nonnull inputs;
    float *_Nullable *_Nonnull outputs;
};
