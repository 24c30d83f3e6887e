// SPDX-License-Identifier: MIT
// The time at which a program hears its source for the first time.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { sound_channels = 2 };

struct sound;

struct sound *sound_create(void);

// Nanoseconds of CLOCK_MONOTONIC.
int64_t sound_now(void);

// Called by the audio thread in each cycle, with a sample of each channel.
void sound_note(struct sound *sound, int channel, float sample);

// Begins to listen. The source must be silent.
void sound_listen(struct sound *sound);

// Waits until all channels have been heard, and returns the time at which the first was, and at which all were, or zero after two
// seconds.
int64_t sound_wait_for_first(struct sound *sound);
int64_t sound_wait_for_all(struct sound *sound);

// Waits until no cycle has brought sound for some time.
void sound_wait_for_silence(struct sound *sound);
