// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>
#include "crt_attributes.h"

// Copies samples; the two do not overlap. Not memcpy for the few that a cycle usually has, for the reason that
// crt_clear gives.
void cak_copy(float *destination, const float *source, uint32_t frames) CRT_REALTIME;

// The same for what will not be read soon: past the caches, which then need not fetch what is written over and keep what
// is worked with. Reading it back costs more. For the thread that has written it, which alone sees it at once.
void cak_put_away(float *destination, const float *source, uint32_t frames) CRT_REALTIME;
