// SPDX-License-Identifier: MIT
#include "crt_load.h"

static const float nanosecond = 1e-9f;

static void store(float *place, float value) {
    __atomic_store(place, &value, __ATOMIC_RELAXED);
}

// Adds calls to the mean. Each counts by its cycle's duration: the mean of a share that is constant from now on comes to
// two thirds of it in a second.
static void add(struct crt_load *load, uint64_t busy, uint32_t calls) {
    float duration = (float)calls * load->period;
    if (duration > 0) {
        float share = (float)busy * nanosecond / duration;
        store(&load->mean, load->mean + (duration < 1 ? duration : 1) * (share - load->mean));
    }
}

// Ends the slice, and the window with its last slice.
static void end_slice(struct crt_load *load) {
    const uint64_t now = load->ended;
    add(load, load->busy, load->calls);
    load->busy = 0;
    load->calls = 0;
    // After a pause the windows before it say nothing any more.
    const bool was_away = now - load->end > crt_load_slices * (uint64_t)crt_load_slice;
    load->slices = was_away ? crt_load_slices : load->slices + 1;
    load->end = now + crt_load_slice;
    if (load->slices >= crt_load_slices) {
        load->slices = 0;
        load->largest_before = was_away ? 0 : load->largest;
        load->largest = 0;
    }
}

void crt_load_note(
    struct crt_load *load, uint64_t time, uint32_t frames, uint32_t rate, bool is_freewheeling) CRT_REALTIME {
    if (frames != load->frames) {
        add(load, load->busy - time, load->calls - 1);
        load->busy = time;
        load->calls = 1;
        load->frames = frames;
    }
    const float period = (float)frames / (float)rate;
    store(&load->period, period);
    const float share = (float)time * nanosecond / period;
    if (load->ended >= load->end) {
        end_slice(load);
    }
    if (share > load->largest) {
        load->largest = share;
    }
    const float bound = load->largest < 1 ? load->largest : 1;
    load->bound = (uint64_t)(bound * period / nanosecond);
    store(&load->peak, load->largest > load->largest_before ? load->largest : load->largest_before);
    if (share > 1 && !is_freewheeling) {
        __atomic_store_n(&load->overrun_begun, load->begun, __ATOMIC_RELAXED);
        __atomic_store_n(&load->overrun_ended, load->ended, __ATOMIC_RELAXED);
        __atomic_store_n(&load->overruns, load->overruns + 1, __ATOMIC_RELAXED);
    }
}

static float read_float(const float *value) {
    float copy;
    __atomic_load(value, &copy, __ATOMIC_RELAXED);
    return copy;
}

struct crt_load_values crt_load_read(const struct crt_load *load) {
    return (struct crt_load_values){
        .begun = __atomic_load_n(&load->begun, __ATOMIC_RELAXED),
        .ended = __atomic_load_n(&load->ended, __ATOMIC_RELAXED),
        .mean = read_float(&load->mean),
        .peak = read_float(&load->peak),
        .period = read_float(&load->period),
        .overruns = __atomic_load_n(&load->overruns, __ATOMIC_RELAXED),
        .overrun_begun = __atomic_load_n(&load->overrun_begun, __ATOMIC_RELAXED),
        .overrun_ended = __atomic_load_n(&load->overrun_ended, __ATOMIC_RELAXED),
    };
}
