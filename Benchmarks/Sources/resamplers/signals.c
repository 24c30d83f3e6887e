// SPDX-License-Identifier: MIT
#include "signals.h"

#include <math.h>
#include <stdlib.h>

float signal_in[longest], between[2 * longest], signal_out[2 * longest];

size_t convert(
    const struct contender *with, uint32_t from, uint32_t to, const float *input, size_t frames, float *output,
    size_t block) {
    void *resampler = with->open(1, from, to);
    size_t done = 0, length = 0;
    int idle = 0;
    while (done < frames && idle < 100) {
        size_t now = block > 0 ? block : 1 + (size_t)(rand() % 10000);
        now = now < frames - done ? now : frames - done;
        size_t used = 0, made = 0;
        with->process(resampler, input + done, now, output + length, 2 * longest - length, &used, &made);
        done += used;
        length += made;
        idle = used + made > 0 ? 0 : idle + 1;
    }
    with->close(resampler);
    return length;
}

void make_sine(double frequency, size_t frames) {
    for (size_t i = 0; i < frames; i++) {
        signal_in[i] = (float)(0.5 * sin(2 * M_PI * frequency * (double)i));
    }
}

double root_mean_square(const float *samples, size_t count) {
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        squares += (double)samples[i] * (double)samples[i];
    }
    return sqrt(squares / (double)count);
}
