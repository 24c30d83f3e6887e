// SPDX-License-Identifier: MIT
// The part of PipeWire that PipeBus uses, behind functions that are the same from 0.3.65 to 1.6 and that Swift can
// import: no macros, no variadics, no type whose layout changed between versions.
//
// PipeWire's own headers are not included here, so none of its types can reach a Swift declaration. All functions
// belong to the loop's thread unless they say so.
#pragma once
#include "pbpw_core.h"
#include "pbpw_dict.h"
#include "pbpw_filter.h"
#include "pbpw_latency.h"
#include "pbpw_link.h"
#include "pbpw_loop.h"
#include "pbpw_metadata.h"
#include "pbpw_profiler.h"
