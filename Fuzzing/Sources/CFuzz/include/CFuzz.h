// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cfuzz_reader {
    void (*request)(void *data, const char *key, const char *value);
    void (*latency)(void *data, float cycles, int64_t frames, int64_t nanoseconds);
};

// Reads a parameter of another process as a node reads its own. The bytes lie at the end of a page, and the next one cannot be
// read. The daemon passes on only parameters that fit into their message; how long the parts inside are nobody has checked.
void cfuzz_read_param(const uint8_t *bytes, size_t count, const struct cfuzz_reader *reader, void *data);

// A file in memory, or -1.
int cfuzz_memory_file(void);
