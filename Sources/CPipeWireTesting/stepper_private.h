// SPDX-License-Identifier: MIT
// The common part of the stepper's files. Each function names its thread.
#pragma once
#include "pbpw_stepper.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <pipewire/pipewire.h>
#include <pipewire/impl.h>
#include <spa/node/io.h>
#include <spa/node/node.h>

// A node of the stepper in the graph, without ports.
//
// One is the driver. The other, the keeper, is a follower that always runs: a driver without followers is idle, and
// would start and stop with the first and the last node under test.
struct graph_node {
    struct spa_node iface;
    struct spa_hook_list hooks;
    struct spa_callbacks callbacks;
    struct spa_io_clock *clock;
    struct pbpw_stepper *driver_of;  // NULL for the keeper
};

struct pbpw_stepper {
    struct graph_node driver, keeper;
    struct pw_thread_loop *thread;
    struct pw_context *context;
    struct spa_hook context_hook;
    struct pw_loop *data_loop;
    uint32_t rate;

    // Main loop, under the thread loop's lock.
    struct spa_list watches;
    bool running;              // the driver got its Start command
    atomic_bool unsettled;     // something changed since the graph was last at rest

    // The requested cycle: written by step(), read by the data loop after `wake`.
    struct spa_source wake;
    uint64_t position;
    uint64_t origin, origin_nsec;  // a position and its clock.nsec, from which all later ones are computed
    uint32_t frames;
    uint32_t clock_id;  // 0: the driver's own
    bool freewheels;
    uint64_t cycle;

    // The last request that the data loop has read. It reads nothing of it after that, so step() may write the next one.
    _Atomic uint64_t taken;

    // Data loop only.
    uint32_t begun_frames, begun_rate;
    uint32_t own_clock_id;      // 0 before the first cycle
    uint64_t begun, completed;  // the last cycle of which this is true
    bool recovering;            // the graph is giving up an unfinished cycle

    // The answer: the data loop writes the result, then the number, then posts.
    int result;
    _Atomic uint64_t answered;
    sem_t answer;
};

// Runs on the data loop when `wake` is written to: begins the requested cycle.
void pbpw_stepper_begin_cycle(struct spa_source *wake);

// The clock.nsec of a position. Any thread, while no cycle is requested.
uint64_t pbpw_stepper_nsec(const struct pbpw_stepper *stepper, uint64_t position);

// pbpw_stepper_settle() for a caller that has the thread loop's lock, once. The graph is at rest until the lock is given up.
int pbpw_stepper_settle_locked(struct pbpw_stepper *stepper, int timeout_ms);

// Adds one of the stepper's nodes to the graph and starts it. Main loop, or before it runs. The context then owns it.
int pbpw_graph_node_add(struct graph_node *node, struct pw_context *context, struct pw_properties *properties);

// Watches every object of the graph: listen with these events and the stepper as data.
extern const struct pw_context_events pbpw_stepper_context_events;
