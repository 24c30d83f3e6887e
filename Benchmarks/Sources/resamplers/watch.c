// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "contenders.h"
#include "signals.h"

int watch(const char *name) {
    void (*enter)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "rtcheck_enter");
    void (*leave)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "rtcheck_exit");
    if (enter == NULL || leave == NULL) {
        give_up("watch", "the checker is not loaded; see Tests/RealtimeChecker");
    }
    for (int i = 0; i < contender_count; i++) {
        const struct contender *it = contenders[i];
        if (strcmp(it->name, name) != 0) {
            continue;
        }
        void *resampler = it->open(2, 44100, 48000);
        size_t used, made;
        for (int turn = 0; turn < 3000; turn++) {
            // Up to 1000 it warms up. Then come longer blocks, small changes of the ratio, and large ones.
            size_t block = 1 + (size_t)(rand() % (turn <= 1000 ? 2000 : 10000));
            double change = turn <= 1500 ? 0 : turn <= 2500 ? 500e-6 : 0.1;
            if (turn > 1000) {
                enter();
                if (change != 0 && it->set_ratio != NULL) {
                    it->set_ratio(resampler, 48000.0 / 44100 * (1 + change * sin(turn)));
                }
            }
            it->process(resampler, between, block, signal_out, 15000, &used, &made);
            if (turn > 1000) {
                leave();
            }
        }
        it->close(resampler);
        return 0;
    }
    give_up("watch", "there is no resampler of that name");
}
