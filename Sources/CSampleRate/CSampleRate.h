// SPDX-License-Identifier: MIT
// Includes alone: all calls are in CAudioConversion.
#pragma once
#include <samplerate.h>
