// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>
#include "crt_attributes.h"

// Copies samples; the two do not overlap. Not memcpy for the few that a cycle usually has, for the reason that
// crt_clear gives.
void cak_copy(float *destination, const float *source, uint32_t frames) CRT_REALTIME;

// Copies samples that will not be read soon, past the caches (non-temporal stores). The caches then need not fetch the
// lines that are overwritten. Reading them back costs more. For the thread that has written them, which alone sees them
// at once.
void cak_copy_uncached(float *destination, const float *source, uint32_t frames) CRT_REALTIME;
