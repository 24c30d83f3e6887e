// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>
#include "crt_attributes.h"

// CLOCK_MONOTONIC, in nanoseconds. The kernel maps the clock into every process, so reading it takes no system call on
// processors and machines with a usable counter, and a short one on others.
uint64_t crt_now(void) CRT_REALTIME;
