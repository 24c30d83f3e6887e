// SPDX-License-Identifier: MIT
// Compares the library's mix with PipeWire's own and with a plain loop, in one process on one processor.
//
//     mix-kernels ROUNDS
//
// Prints a line of JSON for each number of sources and each quantum. All contenders take turns in every round, each for
// about a millisecond and in another order each time, so that a disturbance of a round affects all of them; a ratio is the
// median over the rounds of the ratio in a round.
#include "contenders.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ours, ramping, pipewire, node, plain, contender_count, most_rounds = 1000 };

static void (*const contenders[contender_count])(void) = {
    [ours] = mix_ours,
    [ramping] = mix_ours_ramping,
    [pipewire] = mix_pipewire,
    [node] = mix_pipewire_node,
    [plain] = mix_plain,
};

// Nanoseconds per cycle.
static double times[contender_count][most_rounds];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double time_cycles(void (*mix)(void), int cycles) {
    // The previous contender's effect on the caches is not measured.
    mix();
    double start = now();
    for (int i = 0; i < cycles; i++) {
        mix();
    }
    return (now() - start) / cycles;
}

static int compare(const void *first, const void *second) {
    double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

// The median over the rounds of one contender's time in terms of another's, less `without` if that is one too.
static double ratio(int contender, int peer, int without, int rounds) {
    double ratios[most_rounds];
    for (int round = 0; round < rounds; round++) {
        double peer_time = times[peer][round] - (without < 0 ? 0 : times[without][round]);
        ratios[round] = times[contender][round] / peer_time;
    }
    return median(ratios, rounds);
}

static void measure(uint32_t sources, uint32_t frames, int rounds) {
    contenders_choose(sources, frames);
    contenders_compare();
    int cycles[contender_count];
    for (int i = 0; i < contender_count; i++) {
        double estimate = time_cycles(contenders[i], 20);
        cycles[i] = (int)(1e6 / estimate) + 1;
    }
    for (int round = 0; round < rounds; round++) {
        for (int turn = 0; turn < contender_count; turn++) {
            int i = (round + turn) % contender_count;
            times[i][round] = time_cycles(contenders[i], cycles[i]);
        }
    }
    printf("{\"sources\":%u,\"frames\":%u,\"oursToPipeWire\":%.4f,\"oursToPipeWireWithoutNode\":%.4f,"
           "\"rampingToPipeWire\":%.4f,\"plainToPipeWire\":%.4f",
           sources, frames, ratio(ours, pipewire, -1, rounds), ratio(ours, pipewire, node, rounds),
           ratio(ramping, pipewire, -1, rounds), ratio(plain, pipewire, -1, rounds));
    static const char *const names[contender_count] = {"ours", "ramping", "pipeWire", "node", "plain"};
    for (int i = 0; i < contender_count; i++) {
        printf(",\"%s\":%.1f", names[i], median(times[i], rounds));
    }
    printf("}\n");
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 0;
    if (rounds < 1 || rounds > most_rounds) {
        fprintf(stderr, "usage: mix-kernels ROUNDS (1 to %d)\n", most_rounds);
        return 64;
    }
    contenders_prepare();
    static const uint32_t all_sources[] = {2, 8, 32, 64};
    static const uint32_t all_frames[] = {64, 256, 1024};
    for (size_t s = 0; s < sizeof all_sources / sizeof *all_sources; s++) {
        for (size_t f = 0; f < sizeof all_frames / sizeof *all_frames; f++) {
            measure(all_sources[s], all_frames[f], rounds);
        }
    }
    return 0;
}
