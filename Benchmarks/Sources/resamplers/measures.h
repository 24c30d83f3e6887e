// SPDX-License-Identifier: MIT
// The errors of a resampler.
#pragma once
#include "contender.h"

// 44.1 to 48 to 44.1 kHz: what is not the signal, in dB below it. The noise is compared sample by sample, which says nothing
// where the delay is not a whole number of frames.
double round_trip_of_sine(const struct contender *with, double hertz);
double round_trip_of_noise(const struct contender *with);

// The difference of the gains up to a frequency, in dB.
double ripple(const struct contender *with, uint32_t from, uint32_t to, double top);

// The frequency in kHz at which the gain is lower by some dB, 44.1 to 48 kHz, from 17.0 to 21.9.
double edge(const struct contender *with, double loss);

// The loudest of what is left of sines above half of the lower rate, in dB relative to them.
double alias(const struct contender *with, uint32_t from, uint32_t to, double low, double high);

// A sine of 1 kHz while the ratio wanders by 500 ppm up and down: what a slow change of its phase does not explain, in dB below
// it. NaN: the ratio cannot be changed.
double wobble(const struct contender *with);

// Frames of input up to the first frame of output.
size_t frames_before_output(const struct contender *with, uint32_t from, uint32_t to);

// Random blocks beside blocks of 480: the largest difference of a sample, and the difference of the lengths.
void compare_blocks(const struct contender *with, double *difference, long *frames);
