// SPDX-License-Identifier: MIT
// The common part of the files about a node.
#pragma once
#include <pipewire/filter.h>

#include "CRealtime.h"
#include "pbpw_filter.h"

// pw_filter's user data of a port, which leads back to the node and the port's place.
struct port {
    struct pbpw_filter *filter; // NULL for one that only keeps an order
    uint32_t index;
    bool is_input;
};

// A buffer of an output, as the audio thread uses it. `pw_buffer` leads to it by `user_data`, while its `size` is not 0.
struct output {
    float *samples;
    struct spa_chunk *chunk;
    struct pw_memmap *memory; // keeps both where they are; NULL if that could not be had
    struct spa_list link;
};

struct pbpw_filter {
    // The fields of every cycle are in one cache line, and the slots in another. By the next cycle neither is in the
    // caches, and that costs more than the work on them.
    struct crt_call call;
    struct crt_load *load;
    void **slots; // see slot_ports and slot_buffers
    uint16_t input_count;
    uint16_t output_count;
    bool is_checked; // crt_has_checker(), kept where the audio thread looks anyway
    bool overtaken;  // the graph went on while the last cycle was being processed
    uint16_t mark;   // increased when a cycle begins and when it ends, so that it is odd meanwhile

    struct pbpw_core *core;
    struct pw_filter *filter;
    struct spa_hook listener;
    const struct pbpw_filter_events *events;
    struct crt_call before; // only used by nodes that were made with it
    void *data;
    struct spa_list held; // struct output: all that the audio thread may use
    struct spa_hook node_listener; // of the node's proxy, while has_node_listener
    bool has_node_listener;
    bool disconnected;
    const struct spa_io_position *position; // the driver's, for the loop; it changes under us
};

// The ports, first the inputs.
static inline struct port **slot_ports(const struct pbpw_filter *filter) {
    return (struct port **)filter->slots;
}

// The buffers of the cycle, in the same order.
static inline float **slot_buffers(const struct pbpw_filter *filter) {
    return (float **)(filter->slots + filter->input_count + filter->output_count);
}

// The loop that processes a node; NULL where the library has one for all, and so no function for it.
struct pw_loop *pbpw_filter_loop(struct pbpw_filter *filter);

// Waits until the audio thread has ended a cycle that it was in.
void pbpw_filter_wait_for_cycle(struct pbpw_filter *filter);

// A `process` of pw_filter, without and with a block before each cycle. On the audio thread.
void pbpw_process(void *data, struct spa_io_position *position);
void pbpw_process_with_before(void *data, struct spa_io_position *position);

// A `param_changed` of pw_filter.
void pbpw_filter_param_changed(void *data, void *port_data, uint32_t id, const struct spa_pod *param);

// Called for each buffer that is added to an output or removed from it. `size` is the number of frames that fit.
void pbpw_output_add(struct pbpw_filter *filter, struct pw_buffer *buffer);
void pbpw_output_remove(struct pbpw_filter *filter, struct pw_buffer *buffer);
// Called once the audio thread has left the node for good, and before its connection ends.
void pbpw_outputs_free(struct pbpw_filter *filter);

// Keeps the memory of a link until no cycle reads it. Called whenever the node has its global id, and does it once; false if
// there is no such node. The end comes before the disconnection, which may free the proxy.
bool pbpw_inputs_watch(struct pbpw_filter *filter);
void pbpw_inputs_unwatch(struct pbpw_filter *filter);
