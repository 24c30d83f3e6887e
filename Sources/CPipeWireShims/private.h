// SPDX-License-Identifier: MIT
// The common part of the files of this target.
#pragma once
#include <pipewire/pipewire.h>
#include <time.h>

#include "pbpw_core.h"
#include "pbpw_latency.h"
#include "pbpw_loop.h"

// See timers.c.
struct pbpw_timers {
    struct spa_source *source;
    struct pbpw_timer **heap;
    size_t armed; // number of timers in the heap
    size_t count; // number of all timers
    size_t capacity;
    uint64_t scheduled; // when the source fires: CLOCK_MONOTONIC, in nanoseconds; 0 for never
    bool is_firing;
};

struct pbpw_loop {
    struct pw_thread_loop *thread;
    struct pw_loop *loop;
    struct spa_source *event;
    struct spa_hook wait_hook;
    // The last wait for events: CLOCK_MONOTONIC, in nanoseconds.
    uint64_t wait_began;
    uint64_t wait_ended;
    uint64_t overdue; // see pbpw_loop_take_overdue
    struct pbpw_timers timers;
    struct spa_list paused; // struct pbpw_core, see turns.c
    pbpw_callback on_wakeup;
    void *data;
};

struct pw_proxy;
// The proxy of a bound client or node; NULL if it is not bound.
struct pw_proxy *pbpw_core_bound(struct pbpw_core *core, uint32_t id);

struct pbpw_core {
    struct pbpw_loop *loop;
    struct pw_context *context;
    struct pw_core *core;
    struct pw_registry *registry;
    struct spa_hook core_listener;
    struct spa_hook registry_listener;
    // struct bound_object, by the remainder of its id: each removal in the graph looks here, and a graph has many nodes.
    struct spa_list bound[64];
    struct spa_list metadata; // struct metadata_proxy
    struct pbpw_profiler *profiler; // NULL while it is not bound
    bool has_profiler_protocol;
    // See turns.c.
    struct spa_list paused_link; // in pbpw_loop.paused, while is_paused
    bool is_paused;
    uint64_t turn_began; // when the last pause ended: CLOCK_MONOTONIC, in nanoseconds
    const struct pbpw_core_events *events;
    void *data;
};

static inline const struct pbpw_dict *dict_from(const struct spa_dict *dict) {
    return (const struct pbpw_dict *)dict;
}

// CLOCK_MONOTONIC, in nanoseconds.
static inline uint64_t pbpw_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)SPA_TIMESPEC_TO_NSEC(&time);
}

// Called once for each loop, before its first timer and after its last; false: errno.
bool pbpw_timers_begin(struct pbpw_loop *loop);
void pbpw_timers_end(struct pbpw_loop *loop);
// When the next timer is due: CLOCK_MONOTONIC, in nanoseconds; 0 if none is armed.
uint64_t pbpw_timers_next(const struct pbpw_loop *loop);

// Called before the registry is destroyed.
void pbpw_core_unbind_all(struct pbpw_core *core);
// Called for each message of a kind that other clients can make the daemon send.
void pbpw_turns_count(struct pbpw_core *core);
// Called by the loop after everything else.
void pbpw_turns_resume(struct pbpw_loop *loop);
// Called before the core is destroyed.
void pbpw_turns_end(struct pbpw_core *core);
// Called before the core is destroyed: the profiler stays with its owner, but is without effect.
void pbpw_profiler_detach(struct pbpw_core *core);
// Lets the context's connections receive a profiler's events; false on failure. Once for each context.
bool pbpw_profiler_add_protocol(struct pw_context *context);

struct spa_pod;
// Parses a Latency parameter; false if it is none.
bool pbpw_latency_parse(const struct spa_pod *param, bool *is_output_latency, struct pbpw_latency *minimum,
                        struct pbpw_latency *maximum);
