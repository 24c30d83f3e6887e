// SPDX-License-Identifier: MIT
// The common part of the programs in C on pw_filter: a connection to the daemon, and mono ports. Each has its own cycle.
#pragma once
#include <pipewire/filter.h>
#include <pipewire/pipewire.h>

struct filter_client {
    struct pw_thread_loop *loop;
    struct pw_context *context;
    struct pw_core *core;
};

// Connects, with an audio thread of real-time priority where that is allowed. Ends the program if it fails.
void filter_client_open(struct filter_client *client, const char *name);

// A node of the client, which is not connected yet.
struct pw_filter *filter_client_add_node(
    struct filter_client *client, const char *name, struct pw_properties *properties,
    const struct pw_filter_events *events, struct spa_hook *listener, void *data);

void *filter_client_add_port(struct pw_filter *filter, enum pw_direction direction, const char *name);

// Ends the program if it fails.
void filter_client_connect_node(struct pw_filter *filter);

// Destroy the nodes between the two.
void filter_client_start(struct filter_client *client);
void filter_client_stop(struct filter_client *client);
void filter_client_close(struct filter_client *client);

// For the events of a node.
void filter_client_on_state_changed(
    void *data, enum pw_filter_state old, enum pw_filter_state state, const char *error);
