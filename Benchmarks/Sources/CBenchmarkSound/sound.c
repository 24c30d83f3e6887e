// SPDX-License-Identifier: MIT
#include "sound.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { tries = 40000 };

struct sound {
    // When each channel was heard first, and last; zero before.
    _Atomic int64_t first[sound_channels];
    _Atomic int64_t last[sound_channels];
};

struct sound *sound_create(void) {
    struct sound *sound = calloc(1, sizeof *sound);
    if (sound == NULL) {
        abort();
    }
    return sound;
}

int64_t sound_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void sound_note(struct sound *sound, int channel, float sample) {
    if (sample == 0) {
        return;
    }
    const int64_t now = sound_now();
    int64_t none = 0;
    atomic_compare_exchange_strong(&sound->first[channel], &none, now);
    atomic_store(&sound->last[channel], now);
}

void sound_listen(struct sound *sound) {
    for (int channel = 0; channel < sound_channels; channel++) {
        atomic_store(&sound->first[channel], 0);
        atomic_store(&sound->last[channel], 0);
    }
}

static void sleep_briefly(void) {
    const struct timespec time = {.tv_nsec = 50000};
    nanosleep(&time, NULL);
}

// The earliest or latest time of all channels; zero while one is missing that counts.
static int64_t heard(struct sound *sound, bool is_all) {
    int64_t found = 0;
    for (int channel = 0; channel < sound_channels; channel++) {
        const int64_t first = atomic_load(&sound->first[channel]);
        if (first == 0 && is_all) {
            return 0;
        }
        if (first != 0 && (found == 0 || (is_all ? first > found : first < found))) {
            found = first;
        }
    }
    return found;
}

static int64_t wait_for(struct sound *sound, bool is_all) {
    for (int i = 0; i < tries && heard(sound, is_all) == 0; i++) {
        sleep_briefly();
    }
    return heard(sound, is_all);
}

int64_t sound_wait_for_first(struct sound *sound) {
    return wait_for(sound, false);
}

int64_t sound_wait_for_all(struct sound *sound) {
    return wait_for(sound, true);
}

void sound_wait_for_silence(struct sound *sound) {
    const int64_t some_time = 60000000;
    for (int i = 0; i < tries; i++) {
        int64_t last = 0;
        for (int channel = 0; channel < sound_channels; channel++) {
            const int64_t time = atomic_load(&sound->last[channel]);
            last = time > last ? time : last;
        }
        if (sound_now() - last > some_time) {
            return;
        }
        sleep_briefly();
    }
}
