// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <time.h>
#include "contenders.h"

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare(const void *first, const void *second) {
    double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

void measure_cost(double *costs, uint32_t channels) {
    enum { turns = 21, blocks = 60, block = 256 };
    static float input[block * 8], output[4096 * 8];
    static double times[contender_count][turns];
    for (size_t i = 0; i < block * 8; i++) {
        input[i] = (float)rand() / (float)RAND_MAX - 0.5f;
    }
    void *resamplers[contender_count];
    for (int i = 0; i < contender_count; i++) {
        resamplers[i] = contenders[i]->open(channels, 44100, 48000);
    }
    for (int turn = -1; turn < turns; turn++) {
        for (int i = 0; i < contender_count; i++) {
            size_t used, made, total = 0;
            double start = now();
            for (int b = 0; b < blocks; b++) {
                contenders[i]->process(resamplers[i], input, block, output, 4096, &used, &made);
                total += made;
            }
            if (turn >= 0) {
                times[i][turn] = (now() - start) / (double)total;
            }
        }
    }
    for (int i = 0; i < contender_count; i++) {
        contenders[i]->close(resamplers[i]);
        qsort(times[i], turns, sizeof(double), compare);
        costs[i] = times[i][turns / 2];
    }
}
