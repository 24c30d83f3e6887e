// SPDX-License-Identifier: MIT
// The audio thread's helpers that Swift cannot express. No PipeWire here.
#pragma once
#include "crt_attributes.h"
#include "crt_call.h"
#include "crt_clock.h"
#include "crt_copy.h"
#include "crt_cycle.h"
#include "crt_float.h"
#include "crt_load.h"
#include "crt_scope.h"
#include "crt_shown.h"
#include "crt_signal.h"
