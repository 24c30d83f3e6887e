// SPDX-License-Identifier: MIT
// The common part of the compared programs: their control, the account of the processor time of their audio threads,
// and the block of work of the programs in C.
#pragma once
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

enum { peer_channels = 2 };

// The receivers' sources: all stereo, each with a volume and a pan of its own, none of them the default.
enum { peer_sources = 8 };

static inline double peer_volume(int source) { return 0.3 + 0.05 * source; }
static inline double peer_pan(int source) { return -0.7 + 0.2 * source; }

struct peer {
    // Written by the audio thread only, read by the main thread. An atomic store costs it no more than a plain one.
    // Where a program has several filters, the calls of all of them.
    atomic_long cycles;
    atomic_int audio_thread;
    atomic_int frames;
    // The result of the last cycle, for programs that report it: equal work has an equal result.
    _Atomic float result;
};

// A zeroed one, in memory of its own. It is never freed.
struct peer *peer_create(void);

// Blocks the signals a peer is steered with. Call it before any thread is started, so that all of them inherit it.
void peer_block_signals(void);

void peer_begin_first_cycle(struct peer *peer);

// Call it at the start of each cycle, on the audio thread. Inline, so that it costs every program the same, whatever the
// linker's layout.
static inline void peer_begin_cycle(struct peer *peer, int frames) {
    long cycles = atomic_load_explicit(&peer->cycles, memory_order_relaxed);
    if (cycles == 0) {
        peer_begin_first_cycle(peer);
    }
    atomic_store_explicit(&peer->frames, frames, memory_order_relaxed);
    // Release: pairs with the acquire where the cycles are read, so that the thread is visible with a cycle.
    atomic_store_explicit(&peer->cycles, cycles + 1, memory_order_release);
}

static inline void peer_end_cycle(struct peer *peer, float result) {
    atomic_store_explicit(&peer->result, result, memory_order_relaxed);
}

// Halves `count` samples: the block of work of the programs in C.
static inline void peer_halve(float *restrict output, const float *restrict input, int count) {
    for (int i = 0; i < count; i++) {
        output[i] = input[i] * 0.5f;
    }
}

// Runs until SIGTERM or SIGINT. SIGUSR1 begins a window; SIGUSR2 prints one line of JSON on standard output: the cycles
// and the processor time of the audio thread since then, and the last result.
void peer_run(struct peer *peer);
