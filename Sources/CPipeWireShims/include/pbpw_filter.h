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
    // A linked port's latency that arrived on a PipeWire port; NULL for one that was withdrawn.
    void (*latency)(void *data, bool port_is_input, uint32_t port, bool is_output_latency,
                    const struct pbpw_latency *minimum_or_null, const struct pbpw_latency *maximum_or_null);
    // A request of another process to the node. A value that is neither a text nor a truth value is empty.
    void (*request)(void *data, const char *key, const char *value);
};

struct pbpw_filter;
// The audio thread calls `call` in each cycle, denormals flushed to zero. It calls `before` ahead of that; `before` is
// copied. It measures both in `load`, which must outlive the node.
struct pbpw_filter *pbpw_filter_new(struct pbpw_core *core, const char *name, struct pbpw_properties *properties,
                                    const struct pbpw_filter_events *events, struct crt_call call,
                                    const struct crt_call *before_or_null, struct crt_load *load, void *data,
                                    int *error);
// Adds an audio PipeWire port, 32-bit float mono. Add all ports before connecting: adding one to a streaming node is a
// data race inside libpipewire. Returns the port's index or -errno.
int pbpw_filter_add_port(struct pbpw_filter *filter, bool is_input, struct pbpw_properties *properties);
// Adds a PipeWire port without data: links of such ports only keep an order, and have no buffers. The node may be
// running: `core`'s audio thread is then held for the moment. Returns 0 or -errno.
int pbpw_filter_add_order_port(struct pbpw_filter *filter, bool is_input, struct pbpw_properties *properties,
                               struct pbpw_core *running_core_or_null);
int pbpw_filter_connect(struct pbpw_filter *filter);
// Identifies the thread that processes the node; NULL if the library has only one. Only after the node was connected.
const void *pbpw_filter_thread(struct pbpw_filter *filter);
// Whether one thread processes both. Only after both were connected.
bool pbpw_filter_shares_thread(struct pbpw_filter *filter, struct pbpw_filter *other);
// Whether the daemon is to run the node. Returns 0 or -errno.
int pbpw_filter_set_active(struct pbpw_filter *filter, bool is_active);
// Removes the node from the graph. When it returns the audio thread has left the node for good.
void pbpw_filter_disconnect(struct pbpw_filter *filter);
void pbpw_filter_destroy(struct pbpw_filter *filter);
uint32_t pbpw_filter_node_id(struct pbpw_filter *filter);
int pbpw_filter_set_property(struct pbpw_filter *filter, const char *key, const char *value);
// The present length of cycles and their rate; 0 while the node has no driver.
void pbpw_filter_cycle(const struct pbpw_filter *filter, uint32_t *frames, uint32_t *rate);
// The position of the driver's clock, which goes on whether the node runs or not. False while the node has no driver, and
// with one that freewheels.
bool pbpw_filter_clock(const struct pbpw_filter *filter, uint64_t *clock_position);
// The global id of the node that drives the node, and whether it freewheels. False while the node has no driver.
bool pbpw_filter_driver(const struct pbpw_filter *filter, uint32_t *driver, bool *is_freewheeling);
// Increased when the audio thread begins a cycle of the node, and when it ends it: odd meanwhile.
uint32_t pbpw_filter_mark(const struct pbpw_filter *filter);
// Publishes the latency that the node itself adds, in frames, for tools that read a node's latency. The linked
// ports are notified one by one.
int pbpw_filter_set_process_latency(struct pbpw_filter *filter, int64_t frames);
// Publishes a latency on one PipeWire port. With `is_output_latency` it travels downstream, otherwise upstream.
int pbpw_filter_set_latency(struct pbpw_filter *filter, bool port_is_input, uint32_t port, bool is_output_latency,
                            struct pbpw_latency minimum, struct pbpw_latency maximum);
