// SPDX-License-Identifier: MIT
// Compares resamplers: their errors, what they do on the audio thread, and their cost.
//
//     resamplers              a table
//     resamplers watch NAME   one of them under LD_PRELOAD=librtcheck.so
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "contenders.h"
#include "measures.h"

const struct contender *const contenders[contender_count] = {
    &samplerate_best, &samplerate_medium, &samplerate_fastest, &soxr_high,        &soxr_very_high,
    &soxr_variable,   &speex_default,     &speex_equal,        &speex_best,       &pipewire_default,
    &pipewire_best,
};

static void print_heading(void) {
    printf("44.1 to 48 kHz and back: dB below the signal. Gains: 44.1 to 48 kHz. Aliases: 48 and 96 to 44.1 kHz.\n"
           "Frames before the first one of output. Blocks: random ones beside 480. Cost: ns per frame of output.\n\n"
           "%-22s|%7s%7s%7s |%9s%7s%6s |%7s%7s |%7s |%6s%6s |%9s%8s |%7s%7s%7s\n",
           "", "997 Hz", "15 kHz", "noise", "to 18kHz", "-0.1dB", "-3dB", "near", "far", "wobble", "up", "down",
           "differ", "frames", "1 ch", "2 ch", "8 ch");
}

static void print_row(const struct contender *it, double one, double two, double eight) {
    double difference;
    long frames;
    compare_blocks(it, &difference, &frames);
    printf("%-22s|%7.1f%7.1f%7.1f |%9.4f%7.1f%6.1f |%7.1f%7.1f |%7.1f |%6zu%6zu |%9.1e%8ld |%7.1f%7.1f%7.1f\n",
           it->name, round_trip_of_sine(it, 997), round_trip_of_sine(it, 15000), round_trip_of_noise(it),
           ripple(it, 44100, 48000, 18000), edge(it, 0.1), edge(it, 3), alias(it, 48000, 44100, 22100, 23900),
           alias(it, 96000, 44100, 26000, 47000), wobble(it), frames_before_output(it, 44100, 48000),
           frames_before_output(it, 48000, 44100), difference, frames, one, two, eight);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "watch") == 0) {
        return watch(argv[2]);
    }
    // Each row as soon as it is known.
    setvbuf(stdout, NULL, _IOLBF, 0);
    double one[contender_count], two[contender_count], eight[contender_count];
    measure_cost(one, 1);
    measure_cost(two, 2);
    measure_cost(eight, 8);
    print_heading();
    for (int i = 0; i < contender_count; i++) {
        print_row(contenders[i], one[i], two[i], eight[i]);
    }
    return 0;
}
