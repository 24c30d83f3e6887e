// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include "crt_attributes.h"

// Whether a checker is present: RealtimeSanitizer linked in, or the preload library of Tests/RealtimeChecker. Constant
// for the life of the process.
bool crt_has_checker(void);

// The two calls bracket everything that runs on the audio thread. Without effect unless a checker is present.
void crt_realtime_enter(void) CRT_REALTIME;
void crt_realtime_exit(void) CRT_REALTIME;
