// SPDX-License-Identifier: MIT
#include "crt_clock.h"
#include <time.h>

uint64_t crt_now(void) CRT_NONBLOCKING {
    struct timespec now;
    // clock_gettime has no attribute that says so, but is called by every audio library's callback.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wfunction-effects"
    clock_gettime(CLOCK_MONOTONIC, &now);
#pragma clang diagnostic pop
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
