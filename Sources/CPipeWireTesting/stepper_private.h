// SPDX-License-Identifier: MIT
// What the files of the stepper share. Each function says on which thread it runs.
#pragma once
#include "pbpw_stepper.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <pipewire/pipewire.h>
#include <pipewire/impl.h>
#include <spa/node/io.h>
#include <spa/node/node.h>

// A node of ours in the graph, without ports. One is the driver. The other, the
// keeper, is a follower that always runs: a driver without followers is idle, so
// that it would start and stop with the first and the last node under test.
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

    // The cycle asked for: written by step(), read by the data loop after `wake`.
    struct spa_source wake;
    uint64_t position;
    uint32_t frames;
    uint64_t cycle;

    // Data loop only.
    uint64_t begun, completed;  // the last cycle of which this is true
    bool recovering;            // the graph is giving up an unfinished cycle

    // The answer: the data loop writes the result, then the number, then posts.
    int result;
    _Atomic uint64_t answered;
    sem_t answer;
};

// Runs on the data loop when `wake` is written to: begins the cycle asked for.
void pbpw_stepper_begin_cycle(struct spa_source *wake);

// Adds one of our nodes to the graph and starts it. Main loop, or before it runs. The context owns it then.
int pbpw_graph_node_add(struct graph_node *node, struct pw_context *context, struct pw_properties *properties);

// Watches everything that comes into the graph: listen with these and the stepper as data.
extern const struct pw_context_events pbpw_stepper_context_events;
