// SPDX-License-Identifier: MIT
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "pbpw_dict.h"
#include "pbpw_latency.h"
#include "pbpw_loop.h"

enum pbpw_object_kind {
    pbpw_object_other = 0,
    pbpw_object_client,
    pbpw_object_node,
    pbpw_object_port,
    pbpw_object_link,
    pbpw_object_metadata,
    pbpw_object_profiler,
};

struct pbpw_core_events {
    // `cookie` identifies this run of the daemon. `pid` is its process, as the daemon numbers it; 0 if it does not say.
    void (*info)(void *data, uint32_t cookie, const char *daemon_version, int32_t pid);
    void (*done)(void *data, uint32_t id, int sequence);
    // `error` is a negative errno. id 0 with -EPIPE: the connection is lost.
    void (*error)(void *data, uint32_t id, int sequence, int error, const char *message);
    void (*global)(void *data, uint32_t id, uint32_t kind, const struct pbpw_dict *properties);
    void (*global_removed)(void *data, uint32_t id);
    // The full properties of a bound client or node, whenever they change.
    void (*properties)(void *data, uint32_t id, const struct pbpw_dict *properties);
    // Whether a bound node runs, whenever its state changes. The daemon changes the state of another process's node when
    // that process has answered.
    void (*node_state)(void *data, uint32_t id, bool is_running);
    // Whether a bound link closes a loop, so that its sound comes one cycle late. Never changes.
    void (*feedback)(void *data, uint32_t id, bool is_feedback);
    // The latency that a bound port declares, on every change.
    void (*latency)(void *data, uint32_t id, bool is_output_latency, const struct pbpw_latency *minimum,
                    const struct pbpw_latency *maximum);
};

// Connects to a daemon's socket at an absolute path. Returns a descriptor or -errno.
int pbpw_socket_connect(const char *path);
// The process that listens on a socket at an absolute path; 0 if this process cannot see it; -errno.
int pbpw_socket_listener(const char *path);

// A connection to a daemon: context, core and registry. Takes ownership of the properties and the socket. With -1 for
// the socket libpipewire looks for the user's default daemon. NULL on failure: the errno is in *error, libpipewire's
// function in *failed_call.
struct pbpw_core;
struct pbpw_core *pbpw_core_connect(struct pbpw_loop *loop, struct pbpw_properties *client_properties,
                                    int socket, const struct pbpw_core_events *events, void *data, int *error,
                                    const char **failed_call);
void pbpw_core_destroy(struct pbpw_core *core);
// Requests a `done` event once everything sent so far was handled. Returns its sequence number, or -errno.
int pbpw_core_sync(struct pbpw_core *core);
// Opens the registry: a `global` event for every existing object and every new one.
int pbpw_core_open_registry(struct pbpw_core *core);
// Requests the `properties` of a client or a node, the `feedback` mark of a link, or the `latency` of a port. Ends by
// itself when the object is removed.
int pbpw_core_bind(struct pbpw_core *core, uint32_t id, uint32_t kind);
void pbpw_core_unbind(struct pbpw_core *core, uint32_t id);
// Sends a request to a bound node, whose filter reports a `request` event. The filter need not follow it.
int pbpw_core_request(struct pbpw_core *core, uint32_t node_id, const char *key, const char *value);
// The global id of this client; UINT32_MAX before the daemon has told it.
uint32_t pbpw_core_client_id(struct pbpw_core *core);
int pbpw_core_destroy_global(struct pbpw_core *core, uint32_t id);
