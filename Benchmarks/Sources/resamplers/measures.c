// SPDX-License-Identifier: MIT
#include "measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis.h"
#include "signals.h"

// Amplitude and residual of a sine in Hz after a conversion.
static struct fit sine_after(const struct contender *with, uint32_t from, uint32_t to, double hertz) {
    make_sine(hertz / from, sine_frames);
    convert(with, from, to, signal_in, sine_frames, between, 480);
    return fit_sine(between + settled, window, 1, hertz / to, 0);
}

// 300 sines of random phases below 18 kHz.
double round_trip_of_noise(const struct contender *with) {
    srand(1);
    memset(signal_in, 0, sizeof signal_in);
    for (int line = 0; line < 300; line++) {
        double frequency = (20 + 60.0 * line) / 44100, phase = 2 * M_PI * rand() / RAND_MAX;
        for (size_t i = 0; i < sine_frames; i++) {
            signal_in[i] += (float)(0.01 * sin(2 * M_PI * frequency * (double)i + phase));
        }
    }
    size_t length = convert(with, 44100, 48000, signal_in, sine_frames, between, 480);
    convert(with, 48000, 44100, between, length, signal_out, 480);
    // The delay is a whole number of frames in none but the first; what is left of a fraction is told by the lag.
    double best = 1e9;
    for (int lag = 0; lag < 700; lag++) {
        double squares = 0;
        for (size_t i = 0; i < (lag == 0 ? window : 4000); i++) {
            double rest = (double)signal_out[settled + i] - (double)signal_in[settled + i - (size_t)lag];
            squares += rest * rest;
        }
        double rest = sqrt(squares / (double)(lag == 0 ? window : 4000));
        best = rest < best ? rest : best;
    }
    return -decibels(best / root_mean_square(signal_in + settled, window));
}

double round_trip_of_sine(const struct contender *with, double hertz) {
    make_sine(hertz / 44100, sine_frames);
    size_t length = convert(with, 44100, 48000, signal_in, sine_frames, between, 480);
    convert(with, 48000, 44100, between, length, signal_out, 480);
    struct fit fit = fit_sine(signal_out + settled, window, 1, hertz / 44100, 0);
    return decibels(fit.amplitude / sqrt(2) / fit.residual);
}

double ripple(const struct contender *with, uint32_t from, uint32_t to, double top) {
    double low = 1e9, high = 0;
    for (double hertz = 40; hertz <= top; hertz += top / 37) {
        double amplitude = sine_after(with, from, to, hertz).amplitude;
        low = fmin(low, amplitude);
        high = fmax(high, amplitude);
    }
    return decibels(high / low);
}

double edge(const struct contender *with, double loss) {
    double hertz = 17000;
    while (hertz < 21900 && decibels(sine_after(with, 44100, 48000, hertz).amplitude / 0.5) > -loss) {
        hertz += 100;
    }
    return hertz / 1000;
}

double alias(const struct contender *with, uint32_t from, uint32_t to, double low, double high) {
    double worst = 0;
    for (double hertz = low; hertz <= high; hertz += (high - low) / 16) {
        make_sine(hertz / from, sine_frames);
        convert(with, from, to, signal_in, sine_frames, between, 480);
        worst = fmax(worst, root_mean_square(between + settled, 8000) / (0.5 / sqrt(2)));
    }
    return decibels(worst);
}

double wobble(const struct contender *with) {
    if (with->set_ratio == NULL) {
        return NAN;
    }
    const size_t block = 256;
    make_sine(1000.0 / 44100, 150000);
    void *resampler = with->open(1, 44100, 48000);
    size_t length = 0, done = 0;
    for (int i = 0; done + block < 150000; i++) {
        with->set_ratio(resampler, 48000.0 / 44100 * (1 + 500e-6 * sin(2 * M_PI * i / 100.0)));
        size_t used = 0, made = 0;
        with->process(resampler, signal_in + done, block, between + length, 2 * longest - length, &used, &made);
        done += used;
        length += made;
    }
    with->close(resampler);
    double worst = 0;
    for (size_t start = settled; start + 480 < 100000; start += 480) {
        worst = fmax(worst, fit_sine(between + start, 480, 1, 1000.0 / 48000, 4).residual);
    }
    return decibels(0.5 / sqrt(2) / worst);
}

size_t frames_before_output(const struct contender *with, uint32_t from, uint32_t to) {
    void *resampler = with->open(1, from, to);
    memset(signal_in, 0, sizeof signal_in);
    size_t given = 0, used = 0, made = 0;
    while (made == 0 && given < 50000) {
        with->process(resampler, signal_in, 1, between, longest, &used, &made);
        given += used;
    }
    with->close(resampler);
    return given;
}

void compare_blocks(const struct contender *with, double *difference, long *frames) {
    srand(2);
    for (size_t i = 0; i < longest; i++) {
        signal_in[i] = (float)rand() / (float)RAND_MAX - 0.5f;
    }
    size_t length = convert(with, 44100, 48000, signal_in, longest, between, 480);
    size_t other = convert(with, 44100, 48000, signal_in, longest, signal_out, 0);
    *difference = 0;
    for (size_t i = 0; i < length && i < other; i++) {
        *difference = fmax(*difference, fabs((double)between[i] - (double)signal_out[i]));
    }
    *frames = (long)other - (long)length;
}
