// SPDX-License-Identifier: MIT
// Between the graph's samples, planar 32-bit floats, and those of apps: formats, the order of channels, and rates.
//
// In C for the reason that CAudioKernels gives: a debug build of an app must keep up too.
#pragma once
#include "cac_dither.h"
#include "cac_implementation.h"
#include "cac_resampler.h"
#include "cac_rows.h"
#include "cac_samples.h"
