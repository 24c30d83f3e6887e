// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "CRealtime.h"
#include "pbpw_core.h"
#include "pbpw_latency.h"

// pw_filter's states.
enum pbpw_filter_state {
    pbpw_filter_error = -1,
    pbpw_filter_unconnected = 0,
    pbpw_filter_connecting = 1,
    pbpw_filter_paused = 2,
    pbpw_filter_streaming = 3,
};

struct pbpw_filter_events {
    void (*state)(void *data, int old_state, int state, const char *error_or_null);
    // A peer's latency as it arrived on a port; NULL for one that was withdrawn.
    void (*latency)(void *data, bool port_is_input, uint32_t port, bool is_output_latency,
                    const struct pbpw_latency *minimum_or_null, const struct pbpw_latency *maximum_or_null);
    // Another process asks something of the node. A value that is neither a text nor a truth value is empty.
    void (*request)(void *data, const char *key, const char *value);
};

struct pbpw_filter;
// `call` is what the audio thread calls in each cycle, denormals flushed to zero; `before` is called ahead of it, and is
// copied.
struct pbpw_filter *pbpw_filter_new(struct pbpw_core *core, const char *name, struct pbpw_properties *properties,
                                    const struct pbpw_filter_events *events, struct crt_call call,
                                    const struct crt_call *before_or_null, void *data, int *error);
// Audio ports, 32-bit float mono each. All of them before connecting: adding one to a streaming node is a data race
// inside libpipewire. Returns the port's index or -errno.
int pbpw_filter_add_port(struct pbpw_filter *filter, bool is_input, struct pbpw_properties *properties);
// A port that carries nothing: links of such ports only keep an order. Its buffers are never asked for. Also for a node
// that may be running: `core`'s audio thread is then held for the moment. Returns 0 or -errno.
int pbpw_filter_add_order_port(struct pbpw_filter *filter, bool is_input, struct pbpw_properties *properties,
                               struct pbpw_core *running_core_or_null);
int pbpw_filter_connect(struct pbpw_filter *filter);
// Whether the two are processed by one thread. Only after both were connected.
bool pbpw_filter_shares_thread(struct pbpw_filter *filter, struct pbpw_filter *other);
// Takes the node out of the graph. When it returns the audio thread has left it for good.
void pbpw_filter_disconnect(struct pbpw_filter *filter);
void pbpw_filter_destroy(struct pbpw_filter *filter);
uint32_t pbpw_filter_node_id(struct pbpw_filter *filter);
int pbpw_filter_set_property(struct pbpw_filter *filter, const char *key, const char *value);
// How long the graph's cycles are now, and at which rate; 0 while the node has no driver.
void pbpw_filter_cycle(const struct pbpw_filter *filter, uint32_t *frames, uint32_t *rate);
// Publishes how much the node itself adds, in frames, for tools that look at nodes. Its peers are notified port by port.
int pbpw_filter_set_process_latency(struct pbpw_filter *filter, int64_t frames);
// Publishes a latency on one port: `is_output_latency` travels downstream, the other way upstream.
int pbpw_filter_set_latency(struct pbpw_filter *filter, bool port_is_input, uint32_t port, bool is_output_latency,
                            struct pbpw_latency minimum, struct pbpw_latency maximum);
