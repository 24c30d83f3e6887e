// SPDX-License-Identifier: MIT
// The ways to mix that are compared. One call of each is a cycle: both output channels from all stereo sources.
#pragma once
#include <stdint.h>

enum { most_sources = 64, channels = 2, capacity = 8192 };

// Makes the sources and the mixers. Ends the program with a sentence if something is missing.
void contenders_prepare(void);

// Chooses the buffers of the following calls.
void contenders_choose(uint32_t source_count, uint32_t frames);

// Ends the program with a sentence if two that should mix the same do not.
void contenders_compare(void);

// cak_mix with a gain for each source and channel, and with all of those gains moving.
void mix_ours(void);
void mix_ours_ramping(void);
// PipeWire's node; and the node alone, with no frames to mix.
void mix_pipewire(void);
void mix_pipewire_node(void);
// The plain loop, for the compiler to optimise as far as it can.
void mix_plain(void);
