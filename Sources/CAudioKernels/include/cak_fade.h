// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>
#include "crt_attributes.h"

// Fades along a raised cosine: curve(t) = 0.5 - 0.5 * cos(pi * t), with t from 0 to 1 in `length` steps, of which
// `position` have been taken. Frame i of a call has t = (position + i + 1) / length, so the last step of a fade is at
// its goal already; what comes after it stays there. Off by at most 2e-6 of the signal.

// The source times curve(t); exactly the source from the end of the fade on. As for all of these, the destination may
// be the source, and otherwise does not overlap it.
void cak_fade_in(
    float *destination, const float *source, uint32_t frames, uint32_t position, uint32_t length) CRT_REALTIME;

// The source times 1 - curve(t); exactly 0 from the end of the fade on.
void cak_fade_out(
    float *destination, const float *source, uint32_t frames, uint32_t position, uint32_t length) CRT_REALTIME;

// The decay of a signal that was cut off: its last sample `last` times 1 - curve(t).
void cak_decay(float *destination, float last, uint32_t frames, uint32_t position, uint32_t length) CRT_REALTIME;

// Crossfades: from * (1 - curve(t)) + to * curve(t), exactly `to` from the end of the fade on. Samples that are equal
// in both come out bit by bit. The destination may be either of them.
void cak_crossfade(
    float *destination, const float *from, const float *to, uint32_t frames, uint32_t position,
    uint32_t length) CRT_REALTIME;
