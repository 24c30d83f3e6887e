// SPDX-License-Identifier: MIT
// What is left of a signal when a sine is taken away.
#pragma once
#include <stddef.h>

struct fit {
    double amplitude;
    double phase;    // of the first sample, in radians
    double residual; // root mean square of what is not the sine
};

// The best sine of a known frequency, in cycles per sample, as least squares have it. Its amplitude and phase may vary as a
// polynomial of a degree of 0 to 4.
struct fit fit_sine(const float *samples, size_t count, size_t stride, double frequency, int degree);

double decibels(double ratio);
