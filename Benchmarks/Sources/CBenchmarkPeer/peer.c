// SPDX-License-Identifier: MIT
// gettid() is declared only with this.
#define _GNU_SOURCE
#include "peer.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct mark {
    long cycles;
    uint64_t processor_time;
    uint64_t clock;
};

struct peer *peer_create(void) {
    struct peer *peer = calloc(1, sizeof *peer);
    if (peer == NULL) {
        abort();
    }
    return peer;
}

static sigset_t steering_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigaddset(&signals, SIGUSR2);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    return signals;
}

void peer_block_signals(void) {
    sigset_t signals = steering_signals();
    sigprocmask(SIG_BLOCK, &signals, NULL);
}

void peer_begin_first_cycle(struct peer *peer) {
    atomic_store_explicit(&peer->audio_thread, gettid(), memory_order_relaxed);
}

// The kernel's account of the thread in nanoseconds, read from outside so that measuring does not disturb the thread.
static uint64_t processor_time(pid_t thread) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", (int)thread);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    uint64_t nanoseconds = 0;
    if (fscanf(file, "%" SCNu64, &nanoseconds) != 1) {
        fprintf(stderr, "%s: no number\n", path);
        exit(1);
    }
    fclose(file);
    return nanoseconds;
}

static struct mark make_mark(struct peer *peer) {
    struct mark mark = {.cycles = atomic_load_explicit(&peer->cycles, memory_order_acquire)};
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    mark.clock = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    if (mark.cycles > 0) {
        mark.processor_time = processor_time(atomic_load_explicit(&peer->audio_thread, memory_order_relaxed));
    }
    return mark;
}

static void print_window(struct peer *peer, struct mark start) {
    struct mark end = make_mark(peer);
    pid_t thread = atomic_load_explicit(&peer->audio_thread, memory_order_relaxed);
    struct sched_param parameters = {0};
    sched_getparam(thread, &parameters);
    // PipeWire's real-time module sets the flag, which is none of the policy.
    int policy = sched_getscheduler(thread) & ~SCHED_RESET_ON_FORK;
    printf("{\"cycles\": %ld, \"processor_ns\": %" PRIu64 ", \"elapsed_ns\": %" PRIu64
           ", \"frames\": %d, \"result\": %g, \"policy\": %d, \"priority\": %d}\n",
           end.cycles - start.cycles, end.processor_time - start.processor_time, end.clock - start.clock,
           atomic_load_explicit(&peer->frames, memory_order_relaxed),
           (double)atomic_load_explicit(&peer->result, memory_order_relaxed), policy, parameters.sched_priority);
    fflush(stdout);
}

void peer_run(struct peer *peer) {
    sigset_t signals = steering_signals();
    struct mark start = make_mark(peer);
    for (;;) {
        int signal_number = 0;
        sigwait(&signals, &signal_number);
        switch (signal_number) {
        case SIGUSR1:
            start = make_mark(peer);
            break;
        case SIGUSR2:
            print_window(peer, start);
            break;
        default:
            return;
        }
    }
}
