// SPDX-License-Identifier: MIT
// The timers of a loop. They share one of libpipewire's timers, and with it one file descriptor: so a timer can be had also
// by a process without descriptors, and another program that causes many of them does not use up the descriptors.
//
// A binary heap: the first timer is the next one that is due.
#include <stdlib.h>

#include "private.h"

struct pbpw_timer {
    struct pbpw_loop *loop;
    uint64_t due; // CLOCK_MONOTONIC, in nanoseconds
    size_t place; // in the heap, while is_armed
    bool is_armed;
    pbpw_callback fired;
    void *data;
};

// MARK: The heap

static void put(struct pbpw_timers *timers, size_t place, struct pbpw_timer *timer) {
    timers->heap[place] = timer;
    timer->place = place;
}

static void move_up(struct pbpw_timers *timers, struct pbpw_timer *timer, size_t place) {
    while (place > 0 && timers->heap[(place - 1) / 2]->due > timer->due) {
        put(timers, place, timers->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(timers, place, timer);
}

static void move_down(struct pbpw_timers *timers, struct pbpw_timer *timer, size_t place) {
    for (size_t next = 2 * place + 1; next < timers->armed; next = 2 * place + 1) {
        if (next + 1 < timers->armed && timers->heap[next + 1]->due < timers->heap[next]->due) {
            next++;
        }
        if (timers->heap[next]->due >= timer->due) {
            break;
        }
        put(timers, place, timers->heap[next]);
        place = next;
    }
    put(timers, place, timer);
}

static void take_out(struct pbpw_timer *timer) {
    if (!timer->is_armed) {
        return;
    }
    timer->is_armed = false;
    struct pbpw_timers *timers = &timer->loop->timers;
    struct pbpw_timer *last = timers->heap[--timers->armed];
    if (last == timer) {
        return;
    }
    // Into the empty place, from where it may belong in either direction.
    move_up(timers, last, timer->place);
    move_down(timers, last, last->place);
}

// MARK: libpipewire's timer

uint64_t pbpw_timers_next(const struct pbpw_loop *loop) {
    return loop->timers.armed > 0 ? loop->timers.heap[0]->due : 0;
}

static void schedule(struct pbpw_loop *loop) {
    struct pbpw_timers *timers = &loop->timers;
    const uint64_t first = pbpw_timers_next(loop);
    if (timers->is_firing || first == timers->scheduled) {
        return;
    }
    timers->scheduled = first;
    // A time that is over fires at once; none at all disarms.
    struct timespec value = {.tv_sec = (time_t)(first / SPA_NSEC_PER_SEC), .tv_nsec = (long)(first % SPA_NSEC_PER_SEC)};
    pw_loop_update_timer(loop->loop, timers->source, &value, NULL, true);
}

static void on_timer(void *data, uint64_t expirations) {
    struct pbpw_loop *loop = data;
    struct pbpw_timers *timers = &loop->timers;
    timers->scheduled = 0;
    timers->is_firing = true;
    // Not those that are armed meanwhile: everything else on the loop has its turn first.
    const uint64_t time = pbpw_now();
    while (timers->armed > 0 && timers->heap[0]->due <= time) {
        struct pbpw_timer *timer = timers->heap[0];
        take_out(timer);
        timer->fired(timer->data);
    }
    timers->is_firing = false;
    schedule(loop);
}

bool pbpw_timers_begin(struct pbpw_loop *loop) {
    loop->timers.source = pw_loop_add_timer(loop->loop, on_timer, loop);
    return loop->timers.source != NULL;
}

void pbpw_timers_end(struct pbpw_loop *loop) {
    pw_loop_destroy_source(loop->loop, loop->timers.source);
    free(loop->timers.heap);
}

// MARK: One timer

struct pbpw_timer *pbpw_timer_new(struct pbpw_loop *loop, uint64_t nanoseconds, pbpw_callback fired, void *data) {
    struct pbpw_timers *timers = &loop->timers;
    // Room for every timer that exists, so that arming cannot fail.
    if (timers->count == timers->capacity) {
        const size_t capacity = SPA_MAX(2 * timers->capacity, 16u);
        struct pbpw_timer **heap = realloc(timers->heap, capacity * sizeof *heap);
        if (heap == NULL) {
            return NULL;
        }
        timers->heap = heap;
        timers->capacity = capacity;
    }
    struct pbpw_timer *timer = calloc(1, sizeof *timer);
    if (timer == NULL) {
        return NULL;
    }
    timers->count++;
    *timer = (struct pbpw_timer){.loop = loop, .fired = fired, .data = data};
    pbpw_timer_arm(timer, nanoseconds);
    return timer;
}

void pbpw_timer_arm(struct pbpw_timer *timer, uint64_t nanoseconds) {
    struct pbpw_timers *timers = &timer->loop->timers;
    take_out(timer);
    timer->due = pbpw_now() + nanoseconds;
    timer->is_armed = true;
    move_up(timers, timer, timers->armed++);
    schedule(timer->loop);
}

void pbpw_timer_disarm(struct pbpw_timer *timer) {
    take_out(timer);
    schedule(timer->loop);
}

void pbpw_timer_destroy(struct pbpw_timer *timer) {
    pbpw_timer_disarm(timer);
    timer->loop->timers.count--;
    free(timer);
}
