// SPDX-License-Identifier: MIT
#include "reading.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum {
    most_calls = 255,
    calls_between_results = 16,
    // A quarter of the shortest cycle.
    pause_ns = 333000,
};

struct reading {
    struct peer *peer;
    reading_block read;
    void *context;
    // What it takes to measure nothing.
    uint64_t empty;
    int frames;
    int calls; // with that many frames
    int cut;
    uint64_t times[most_calls];
};

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int compare(const void *first, const void *second) {
    uint64_t a = *(const uint64_t *)first, b = *(const uint64_t *)second;
    return (a > b) - (a < b);
}

static uint64_t median(const uint64_t *times, int count) {
    uint64_t sorted[most_calls];
    for (int i = 0; i < count; i++) {
        sorted[i] = times[i];
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    return sorted[count / 2];
}

static void measure_nothing(struct reading *reading) {
    uint64_t times[most_calls];
    for (int i = 0; i < most_calls; i++) {
        uint64_t start = now();
        times[i] = now() - start;
    }
    reading->empty = median(times, most_calls);
}

static void read_block(struct reading *reading, int frames) {
    if (frames != reading->frames) {
        reading->frames = frames;
        reading->calls = 0;
        reading->cut = 0;
    }
    uint64_t start = now();
    bool is_whole = reading->read(reading->context, frames);
    reading->times[reading->calls % most_calls] = now() - start;
    reading->calls++;
    reading->cut += !is_whole;
    if (reading->calls % calls_between_results == 0) {
        int count = reading->calls < most_calls ? reading->calls : most_calls;
        uint64_t time = median(reading->times, count);
        // A block that comes late now and then is none of the ratio.
        bool is_good = reading->cut <= 1 && time > reading->empty;
        peer_end_cycle(reading->peer, is_good ? (float)(time - reading->empty) : 0);
        reading->cut = 0;
    }
}

static void *run(void *data) {
    struct reading *reading = data;
    struct peer *peer = reading->peer;
    measure_nothing(reading);
    long done = atomic_load_explicit(&peer->cycles, memory_order_acquire);
    for (;;) {
        nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
        long cycles = atomic_load_explicit(&peer->cycles, memory_order_acquire);
        for (; done < cycles; done++) {
            read_block(reading, atomic_load_explicit(&peer->frames, memory_order_relaxed));
        }
    }
    return NULL;
}

void reading_start(struct peer *peer, reading_block read, void *context) {
    struct reading *reading = calloc(1, sizeof *reading);
    pthread_t thread;
    if (reading == NULL) {
        abort();
    }
    *reading = (struct reading){.peer = peer, .read = read, .context = context};
    if (pthread_create(&thread, NULL, run, reading) != 0) {
        abort();
    }
    pthread_detach(thread);
}
