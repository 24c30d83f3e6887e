// SPDX-License-Identifier: MIT
// What the files about a node share.
#pragma once
#include <pipewire/filter.h>

#include "CRealtime.h"
#include "pbpw_filter.h"

// What pw_filter keeps for each port: its user data is our way back from a port to its place.
struct port {
    struct pbpw_filter *filter; // NULL for one that only keeps an order
    uint32_t index;
    bool is_input;
};

struct port_list {
    struct port **ports;
    float **buffers;
    uint32_t count;
};

struct pbpw_filter {
    struct pw_filter *filter;
    struct spa_hook listener;
    const struct pbpw_filter_events *events;
    struct crt_call call;
    struct crt_call before; // only used by nodes that were made with it
    void *data;
    struct port_list inputs;
    struct port_list outputs;
    bool is_checked; // crt_has_checker(), kept where the audio thread looks anyway
    bool overtaken;  // the graph went on while the last cycle was being processed
    bool disconnected;
    const struct spa_io_position *position; // the driver's, for the loop; it changes under us
};
