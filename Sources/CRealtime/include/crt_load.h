// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "crt_attributes.h"

// The time that a node's callback takes of each cycle. The audio thread alone writes it, each field atomically where others
// read it. Times are nanoseconds of CLOCK_MONOTONIC, shares are of a cycle's duration.
//
// A cycle adds its time to that of a slice, and no more: everything else follows once per slice of a quarter of a second, or
// when a call is the longest so far.
struct crt_load {
    uint64_t begun; // the start of the last call, or of the one that runs: then it is later than `ended`
    uint64_t ended;
    float mean; // of the shares, over about a second
    float peak; // the largest share of this window and of the last one; a window is four slices
    // Of this slice.
    uint64_t busy; // ns
    uint64_t end;
    uint32_t calls;
    uint32_t frames; // in each cycle
    uint64_t bound;  // a longer call is noted at once
    // A cache line. The rest is seldom used.
    float period; // the duration of a cycle, in seconds
    float largest; // the largest share of this window
    float largest_before; // and of the last one
    uint32_t slices;
    uint32_t overruns; // number of calls that took longer than their cycle; none of them while the graph freewheels
    uint64_t overrun_begun; // the last of these
    uint64_t overrun_ended;
};

enum {
    crt_load_slice = 250000000, // ns
    crt_load_slices = 4,        // in a window
};

// The values at one moment, for any thread. They may be of two neighbouring calls.
struct crt_load_values {
    uint64_t begun;
    uint64_t ended;
    float mean;
    float peak;
    float period;
    uint32_t overruns;
    uint64_t overrun_begun;
    uint64_t overrun_ended;
};

struct crt_load_values crt_load_read(const struct crt_load *load);

// Out of line: not a part of every cycle. The call's time is in the slice.
void crt_load_note(struct crt_load *load, uint64_t time, uint32_t frames, uint32_t rate, bool is_freewheeling)
    CRT_REALTIME;

// Called by the audio thread when the call begins, and when it ends.
static inline void crt_load_begin(struct crt_load *load, uint64_t now) CRT_REALTIME {
    __atomic_store_n(&load->begun, now, __ATOMIC_RELAXED);
}

static inline void crt_load_end(struct crt_load *load, uint64_t begun, uint64_t now, uint32_t frames, uint32_t rate,
                                bool is_freewheeling) CRT_REALTIME {
    const uint64_t time = now - begun;
    __atomic_store_n(&load->ended, now, __ATOMIC_RELAXED);
    load->busy += time;
    load->calls++;
    if (time > load->bound || now >= load->end || frames != load->frames) {
        crt_load_note(load, time, frames, rate, is_freewheeling);
    }
}
