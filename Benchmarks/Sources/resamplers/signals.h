// SPDX-License-Identifier: MIT
// Signals through a resampler, one channel.
#pragma once
#include "contender.h"

enum { longest = 200000 };
// Sines and noise have `sine_frames`; of their output, `window` frames from `settled` on are looked at.
enum { sine_frames = 40000, settled = 8000, window = 16000 };

extern float signal_in[longest], between[2 * longest], signal_out[2 * longest];

// A signal in blocks of a size; 0: of random sizes from 1 to 10000. Returns the number of frames.
size_t convert(
    const struct contender *with, uint32_t from, uint32_t to, const float *input, size_t frames, float *output,
    size_t block);

// Into signal_in, with an amplitude of 0.5; the frequency in cycles per frame.
void make_sine(double frequency, size_t frames);

double root_mean_square(const float *samples, size_t count);
